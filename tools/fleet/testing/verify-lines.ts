import { readAcceptedKiosks } from '../verify/accepted-kiosks';
import { setAsideIn } from '../verify/chain';
import type { Finding } from '../verify/findings';
import { epochVerifier, isSigned, type TableRow } from '../verify/verify-rows';

/** The verifier's findings in the bodies of one epoch of one kiosk, as if a table had all their lines. */
export function findingsIn(bodies: readonly string[], publicKey: string, fromStart = true): Finding[] {
  const rows = bodies
    .flatMap((body) => body.split('\n'))
    .filter((line) => line !== '')
    .map(asTableRow);
  rows.sort((a, b) => Number(a.seq) - Number(b.seq) || (String(a.kind) < String(b.kind) ? -1 : 1));
  const accepted = readAcceptedKiosks(publicKey);
  if ('error' in accepted) throw new Error(accepted.error);
  const kiosk = String(rows[0]?.kiosk);
  const findings: Finding[] = [];
  const place = { kiosk, epoch: Number(rows[0]?.epoch) };
  const signer = accepted.kiosks.get(kiosk) ?? null;
  const newest = signer && rows.findLast((row) => row.kind === 'segment' && isSigned(row, signer));
  const range = { fromStart, setAside: setAsideIn(String(newest?.setAside)), before: null, after: null };
  const verifier = epochVerifier(place, signer, range, (finding) => findings.push(finding));
  for (const row of rows) verifier.add(row);
  verifier.end();
  return findings;
}

function asTableRow(line: string): TableRow {
  return JSON.parse(line) as TableRow;
}

/** `code first-last` of each finding. */
export function inShort(findings: readonly Finding[]): string[] {
  return findings.map(({ code, first, last }) => `${code} ${first}-${last}`);
}
