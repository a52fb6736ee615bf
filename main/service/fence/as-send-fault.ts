import { networkCode } from '../service-error';
import { ProxyFault } from './proxy-fault';
import { SendFault, type SendFaultCode } from './send-fault';

/**
 * Names whatever ended a request.
 *
 * @param signal of the request: once it is aborted, that is the cause
 * @param otherwise the code of a system error that is neither TLS nor slowness
 */
export function asSendFault(
  fault: unknown,
  signal: AbortSignal,
  left: 'no' | 'maybe',
  otherwise: SendFaultCode = 'connection',
): SendFault {
  if (signal.aborted) {
    const { reason } = signal;
    const late = reason instanceof Error && reason.name === 'TimeoutError';
    return late
      ? new SendFault('timeout', left, 'no whole answer in the time it had', { cause: reason })
      : new SendFault('cancelled', left, 'called off', { cause: reason });
  }
  if (fault instanceof SendFault) return fault;
  if (fault instanceof ProxyFault) return new SendFault(fault.code, left, fault.message, { cause: fault });
  const { code, detail } = networkCode(fault);
  if (otherwise === 'answer') {
    return new SendFault('answer', left, `the connection ended without an answer (${detail})`, {
      cause: fault,
    });
  }
  const known = KNOWN_CODES[code] ?? otherwise;
  return new SendFault(known, left, `no ${known === 'tls' ? 'TLS ' : ''}connection (${detail})`, {
    cause: fault,
  });
}

const KNOWN_CODES: Readonly<Record<string, SendFaultCode>> = {
  tls: 'tls',
  'unknown-ca': 'tls',
  'certificate-date': 'tls',
  'certificate-name': 'tls',
  timeout: 'timeout',
};
