import { readAcceptedKiosks } from '../verify/accepted-kiosks';
import type { Finding } from '../verify/findings';
import { epochVerifier, setAsideBy, type TableRow } from '../verify/verify-rows';

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
  const acceptedKiosk = accepted.kiosks.get(kiosk) ?? null;
  const newestFirst = rows.filter((row) => row.kind === 'segment').reverse();
  const told = newestFirst.map((row) => acceptedKiosk && setAsideBy(row, acceptedKiosk));
  const range = { fromStart, setAside: told.find((setAside) => setAside !== null) ?? [] };
  const verifier = epochVerifier(place, acceptedKiosk, range, (finding) => findings.push(finding));
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
