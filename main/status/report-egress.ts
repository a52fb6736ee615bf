import type { Log } from '../../shared/log';
import type { Egress } from '../egress/egress';
import type { ChromiumCas } from '../shell/chromium-cas';
import type { Tell } from './facts';

const CODE = 'pages-do-not-trust-ca';

/** Reports to the board and the log if pages do not trust the CAs of `network.caFile`, which main trusts. */
export async function reportChromiumCas(
  tell: Tell,
  log: Log,
  egress: Pick<Egress, 'additionalCas'>,
  trust: (cas: readonly string[]) => Promise<ChromiumCas>,
): Promise<void> {
  const { additionalCas } = egress;
  const outcome = await trust(additionalCas);
  if (outcome.kind === 'done') {
    if (additionalCas.length > 0)
      log.info('pages trust the CAs of network.caFile', { cas: additionalCas.length });
    return;
  }
  // No CAs are configured: at most some of an earlier start are left.
  if (additionalCas.length === 0) return;
  log.error('pages do not trust the CAs of network.caFile', outcome);
  tell({
    kind: 'attention',
    code: CODE,
    problem: {
      message: 'Native ads and linked pages do not trust the CAs of network.caFile, so they may stay empty.',
      advice:
        outcome.kind === 'no-certutil'
          ? 'Install certutil (sudo apt-get install libnss3-tools) and restart the kiosk.'
          : 'Check that the home folder of the kiosk user can be written to, and see the log.',
    },
  });
}
