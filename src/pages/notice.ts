/** Shown above every page of sample data. */
export const SAMPLE_NOTICE = 'Sample data: real names, made-up numbers.'
