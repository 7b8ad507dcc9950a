/** A failed delivery to another host. The message names the host and the next step. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}
