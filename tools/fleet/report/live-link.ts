import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { NowMessage, StateMessage } from '../../../main/fleet/link/messages';
import { htmlTable } from './html';

const LiveKiosks = z.array(
  z.object({ kiosk: z.string(), state: StateMessage.nullable(), now: NowMessage.nullable() }),
);
type LiveKiosk = z.infer<typeof LiveKiosks>[number];

/** Reads the output of `endcap fleet list --json`; no file: no kiosks. */
export function readLiveLink(file: string | null): LiveKiosk[] {
  return file === null ? [] : LiveKiosks.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** The section about what kiosks last told their broker; empty without kiosks. */
export function liveLinkSection(kiosks: readonly LiveKiosk[]): string {
  if (kiosks.length === 0) return '';
  const online = kiosks.filter(({ state }) => state?.online === true).length;
  return `<h2>Live link</h2>
<p>${online} of ${kiosks.length} kiosks online at a broker of this machine, as they told it last. What simulated ones
show is made up.</p>
${htmlTable(COLUMNS, kiosks.map(rowOf))}`;
}

const COLUMNS = [
  ['kiosk', 'kiosk'],
  ['store', 'store'],
  ['state', 'state'],
  ['told', 'told at'],
  ['screen', 'on the screen'],
  ['next', 'next'],
] as const;

function rowOf({ kiosk, state, now }: LiveKiosk) {
  return {
    kiosk,
    store: state?.storeId,
    told: now?.at ?? state?.at,
    state: state?.online === true ? state.state : 'offline',
    screen: shown(now?.now),
    next: shown(now?.next),
  };
}

function shown(thing: NowMessage['next'] | undefined): string | null {
  if (thing == null) return null;
  return [thing.kind, thing.adId, thing.campaignId ?? thing.flightId]
    .filter((word) => word !== null)
    .join(' ');
}
