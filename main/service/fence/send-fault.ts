import type { ProxyFaultCode } from './proxy-fault';

/**
 * Why a request got no answer. `fenced`: it must not go there (rule 22). `name`,
 * `connection`, `tls`: no way there. `proxy-…`: a proxy led nowhere (`ProxyFault`). `timeout`: too slow. `cancelled`: by the
 * caller's signal. `redirects`: too many, or one that leads nowhere. `answer`:
 * what came back is no HTTP, or nothing came. `encoding`: only of a body, whose
 * content encoding is not taken, or decodes to nothing.
 */
export type SendFaultCode =
  | ProxyFaultCode
  | 'fenced'
  | 'name'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'cancelled'
  | 'redirects'
  | 'answer'
  | 'encoding';

/**
 * What the HTTP client rejects with. `left` is for delivery at most once (rule
 * 16): `no` when not a byte of the request can have been sent, so that repeating
 * it counts nothing twice; `maybe` in every other case, also when an earlier hop
 * of a redirect was reached. Reading a body may reject with one too; that comes
 * after an answer, and says nothing about delivery.
 */
export class SendFault extends Error {
  override readonly name = 'SendFault';

  constructor(
    readonly code: SendFaultCode,
    readonly left: 'no' | 'maybe',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
