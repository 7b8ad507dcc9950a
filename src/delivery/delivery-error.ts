/** A place outside this machine that did not take what was brought. The message names it and the next step. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}
