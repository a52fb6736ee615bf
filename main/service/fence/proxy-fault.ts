/**
 * Why a proxy led nowhere. `proxy-unreachable`: no connection to the proxy itself.
 * `proxy-auth`: it wants other credentials. `proxy-refused`: it does not lead to
 * this host. The request has reached nobody behind it.
 */
export type ProxyFaultCode = 'proxy-unreachable' | 'proxy-auth' | 'proxy-refused';

export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';

  constructor(
    readonly code: ProxyFaultCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
