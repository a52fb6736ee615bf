import type { SigningKey } from '../admin/signing-key';
import { proofRow } from '../fleet/proof-rows';
import { reportProof } from '../fleet/report-proof';
import { createSegmentSender } from '../fleet/send-segment';
import { startShipper } from '../fleet/shipper';
import { restAfterWork } from '../schedule';
import type { Core } from './core';
import type { Decisions } from './decisions';
import type { Disposable } from './lifecycle';

/** Ships proof of play to `proof.url` (rule 28); null: there is none. */
export function startProof(core: Core, { network, board }: Decisions, key: SigningKey): Disposable | null {
  const { windows, schedule, pause } = core;
  const { proof, store, ads } = core.settings;
  const { url } = proof;
  if (url === null) return null;
  const http = network.egress.httpTo(proof, network.gate.fetch);
  const origin = { kiosk: key.fingerprint, playerId: [ads.params.playerid ?? []].flat()[0] ?? null, store };
  return startShipper({
    ...core,
    ...{ records: windows.records, key },
    rowOf: (entry) => proofRow(entry, origin),
    maxRows: proof.maxRows,
    everyMs: proof.everySeconds * 1_000,
    rest: restAfterWork(schedule, pause),
    send: createSegmentSender({ ...proof, url }, key.fingerprint, http),
    onResult: (result) => board.tell({ kind: 'segment-tried', result }),
    onChange: reportProof(board.tell, core.clock),
  });
}
