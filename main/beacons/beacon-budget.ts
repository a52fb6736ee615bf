import { beaconBytes } from '../../shared/beacon';
import type { Log } from '../../shared/log';
import type { OutboxLedger } from './outbox-ledger';

/** Longest URL that is sent, in UTF-16 code units; servers and proxies often accept less. */
export const MAX_URL_LENGTH = 32_768;

/**
 * Most bytes that the beacons of one play may take in the books, all its events together, before their macros are
 * filled (`new-beacons.ts` bounds what these add): thousands of ordinary URLs, or 126 of the longest. A real ad needs
 * about 20 KB.
 */
export const MAX_BEACON_BYTES = 4_194_304;

/** For how many plays the used budget is remembered; a play ends long before that many others have begun. */
const MAX_REMEMBERED_PLAYS = 100;

/** A script is not stored, so it has no URL in the books. */
export type UrlOrScript = { readonly url: string } | { readonly script: string };

/** Limits the size of a play's stored beacons, so that one ad cannot fill the disk. */
export function createBeaconBudget(ledger: OutboxLedger, log: Log) {
  const accounts = new Map<string, { used: number; refused: boolean }>();

  function accountOf(playOrInstance: string | null) {
    const fresh = { used: 0, refused: false };
    if (playOrInstance === null) return fresh;
    const account = accounts.get(playOrInstance) ?? fresh;
    accounts.delete(playOrInstance);
    accounts.set(playOrInstance, account);
    const [oldest] = accounts.keys();
    if (accounts.size > MAX_REMEMBERED_PLAYS && oldest !== undefined) accounts.delete(oldest);
    return account;
  }

  return {
    /**
     * Returns the beacons that fit, in order. The others are lost; that is logged once for each play.
     * @param playOrInstance the play or the native ad instance; null: the event has a budget of its own
     */
    admit<Asked extends UrlOrScript>(
      playOrInstance: string | null,
      event: string,
      asked: readonly Asked[],
    ): readonly Asked[] {
      const account = accountOf(playOrInstance);
      let tooLong = 0;
      let overBudget = 0;
      const admitted = asked.filter((beacon) => {
        const url = 'url' in beacon ? beacon.url : '';
        if (url.length > MAX_URL_LENGTH) {
          tooLong += 1;
          return false;
        }
        const bytes = beaconBytes(url);
        if (account.used + bytes > MAX_BEACON_BYTES) {
          overBudget += 1;
          return false;
        }
        account.used += bytes;
        return true;
      });
      const lost = tooLong + overBudget;
      ledger.neverKept(lost);
      if (lost > 0 && !account.refused) {
        log.warn('an ad has more beacons than the budget of a play allows: the rest is not sent', {
          event,
          beacons: asked.length,
          tooLong,
          overBudget,
        });
      }
      account.refused ||= lost > 0;
      return admitted;
    },
  };
}
