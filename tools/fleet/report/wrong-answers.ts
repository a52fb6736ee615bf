import type { Answers } from './questions';

/**
 * The errors that forbid making a bill from these answers, a line each; empty: the answers are right.
 *
 * @param books plays by flight, as the kiosks counted them
 */
export function wrongAnswers(answers: Answers, books: ReadonlyMap<string, number>): string[] {
  const { overDeliveries, findings, billing } = answers;
  return [
    ...(overDeliveries.length > 0 ? [`${overDeliveries.length} plays over a cap`] : []),
    ...findings.filter(({ isError }) => isError).map(({ code, kiosk }) => `${code}: kiosk ${kiosk}`),
    ...unlikeBooks(billing, books),
  ];
}

/** The flights of which the bill has another number of plays than the books, a line each. */
export function unlikeBooks(billing: Answers['billing'], books: ReadonlyMap<string, number>): string[] {
  const billed = new Map<string, number>();
  for (const { flight, plays } of billing)
    billed.set(String(flight), (billed.get(String(flight)) ?? 0) + Number(plays));
  return [...new Set([...books.keys(), ...billed.keys()])]
    .filter((flight) => billed.get(flight) !== books.get(flight))
    .map((flight) => `${flight}: ${billed.get(flight) ?? 0} billed, ${books.get(flight) ?? 0} in the books`);
}
