/** A form field hidden from people. A request that fills it in gets an ordinary answer and is not stored. */
export const HONEYPOT = 'fax_number'
