import type { SendBeacon } from '../beacons/beacon-sender';
import { type MediaProblem, problemWords } from '../media/media-problem';
import type { ServiceFailure } from '../service/service-error';
import type { Tell } from './facts';
import type { ServiceOperation } from './status-bounds';

export function reportService(tell: Tell) {
  return (operation: ServiceOperation, answer: { readonly kind: string } | ServiceFailure): void => {
    if (!('error' in answer)) {
      tell({ kind: 'service-succeeded', operation });
      return;
    }
    const { code, message, advice } = answer.error;
    tell({ kind: 'service-failed', operation, problem: { code, message, advice } });
  };
}

/** Reports the result of each request for a creative, those of the house folder left out; the status shows the last. */
export function reportMedia(tell: Tell) {
  return (url: string, problem: MediaProblem | null): void => {
    if (url.startsWith('house:')) return;
    if (problem === null) {
      tell({ kind: 'service-succeeded', operation: 'media' });
      return;
    }
    const { code, detail } = problem;
    const { file, advice } = problemWords(problem);
    const message = `${file} could not be fetched: ${detail}.`;
    tell({ kind: 'service-failed', operation: 'media', problem: { code, message, advice } });
  };
}

/** Reports the result of each beacon. Beacons go to many hosts; the status shows the last result. */
export function reportSends(send: SendBeacon, tell: Tell): SendBeacon {
  return async (url) => {
    const result = await send(url);
    if (result.kind === 'answered' && result.status >= 200 && result.status < 300) {
      tell({ kind: 'service-succeeded', operation: 'beacons' });
      return result;
    }
    const code = result.kind === 'answered' ? `status-${result.status}` : result.code;
    const host = URL.parse(url)?.host ?? 'an address that is none';
    const message = `${host} did not take a beacon: ${code}.`;
    const advice =
      'Beacons that may be repeated are sent again automatically. If this lasts, ask the owner of the host.';
    tell({ kind: 'service-failed', operation: 'beacons', problem: { code, message, advice } });
    return result;
  };
}
