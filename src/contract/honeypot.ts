/** A member that people never see in a form. Who fills it in is answered as any other, and nothing is kept. */
export const HONEYPOT = 'fax_number'
