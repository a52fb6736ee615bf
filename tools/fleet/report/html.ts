/** Escapes text for HTML; null and undefined become a dash. */
export function escaped(text: unknown): string {
  return String(text ?? '–')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A table. Each column is a key of the rows and a heading. */
export function htmlTable(
  columns: readonly (readonly [key: string, heading: string])[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const head = columns.map(([, heading]) => `<th>${escaped(heading)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${columns.map(([key]) => `<td>${escaped(row[key])}</td>`).join('')}</tr>`)
    .join('\n');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}
