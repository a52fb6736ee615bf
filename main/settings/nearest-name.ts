/**
 * The known name that a mistyped one most likely meant, or null when none is
 * near. Case and separators do not count; up to a third of the letters may differ.
 */
export function nearestName(mistyped: string, known: readonly string[]): string | null {
  const wanted = foldedName(mistyped).slice(0, 64);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(wanted, foldedName(name));
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** A name without case and separators. */
export const foldedName = (name: string): string => name.toLowerCase().replace(/[-_ .]/g, '');

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
