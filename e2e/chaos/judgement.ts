/** A line of a kiosk's `/v1/plays`: only the fields that billing needs. */
export interface KioskPlay {
  readonly id: string;
  readonly at: string;
  readonly shownAt: string | null;
  readonly outcome: string;
  readonly flightId: string | null;
}

type Row = Readonly<Record<string, unknown>>;

export interface Evidence {
  /** The kiosks' own books, by fingerprint. */
  readonly books: ReadonlyMap<string, readonly KioskPlay[]>;
  /** Rows of `kiosk`, `id`, `outcome` and `at`: the newest row of each play in the table. */
  readonly newest: readonly Row[];
  readonly billing: readonly Row[];
  readonly completeness: readonly Row[];
  readonly overDeliveries: readonly Row[];
  /** Exit code and output of `fleet-verify`. */
  readonly verified: {
    readonly code: number | null;
    readonly lines: readonly string[];
    readonly errors: string;
  };
  readonly rowsByReplica: readonly (readonly number[])[];
}

/** Everything that a run must not leave behind; one sentence each. */
export function violationsOf(evidence: Evidence): string[] {
  const { completeness, overDeliveries, verified, rowsByReplica, books } = evidence;
  const plays = [...books.values()].flat();
  return [
    ...(plays.length === 0 ? ['nothing was played, so nothing is proved'] : []),
    ...unlikeBooks(evidence),
    ...billedOtherwise(evidence.billing, plays),
    ...completeness
      .filter(({ missing, firstSeq }) => Number(missing) !== 0 || Number(firstSeq) !== 1)
      .map((row) => `not complete: ${JSON.stringify(row)}`),
    ...overDeliveries.map((row) => `over its cap: ${JSON.stringify(row)}`),
    ...(verified.code === 0 ? [] : ['fleet-verify:', ...verified.lines, verified.errors]),
    ...rowsByReplica.flatMap((rows, shard) =>
      rows.every((count) => count === rows[0])
        ? []
        : [`replicas of shard ${shard} hold ${rows.join(' and ')} rows`],
    ),
  ];
}

/** Compares play by play: each must be in the books and in the table, with the same outcome and time. */
function unlikeBooks({ books, newest }: Evidence): string[] {
  const left = new Map(newest.map((row) => [`${row.kiosk} ${row.id}`, row]));
  const found: string[] = [];
  for (const [kiosk, plays] of books) {
    for (const { id, outcome, at } of plays) {
      const name = `${kiosk} ${id}`;
      const row = left.get(name);
      left.delete(name);
      if (!row) found.push(`play ${name} (${outcome}) is not in the table`);
      else if (row.lastOutcome !== outcome || row.lastAt !== at)
        found.push(
          `play ${name} is ${outcome} at ${at} in the books, ${row.lastOutcome} at ${row.lastAt} in the table`,
        );
    }
  }
  return [...found, ...[...left.keys()].map((name) => `play ${name} is in no kiosk's books`)];
}

const COUNTED = ['plays', 'shown', 'completed', 'voided'] as const;
type Counts = Record<(typeof COUNTED)[number], number>;

/** Compares the bill of each flight with a count of the books. */
function billedOtherwise(billing: readonly Row[], plays: readonly KioskPlay[]): string[] {
  const billed = new Map<string, Counts>();
  const counted = new Map<string, Counts>();
  const of = (counts: Map<string, Counts>, flight: string): Counts => {
    const known = counts.get(flight) ?? { plays: 0, shown: 0, completed: 0, voided: 0 };
    counts.set(flight, known);
    return known;
  };
  for (const row of billing)
    for (const name of COUNTED) of(billed, String(row.flight))[name] += Number(row[name]);
  for (const { flightId, outcome, shownAt } of plays) {
    const counts = of(counted, String(flightId));
    if (outcome === 'given-back') counts.voided += 1;
    else counts.plays += 1;
    if (outcome !== 'given-back' && shownAt !== null) counts.shown += 1;
    if (outcome === 'completed') counts.completed += 1;
  }
  return [...new Set([...billed.keys(), ...counted.keys()])].flatMap((flight) => {
    const [bill, books] = [of(billed, flight), of(counted, flight)];
    return COUNTED.filter((name) => bill[name] !== books[name]).map(
      (name) => `${flight}: ${bill[name]} ${name} billed, ${books[name]} in the books`,
    );
  });
}
