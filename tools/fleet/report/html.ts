/** Text inside HTML. */
export function escaped(text: unknown): string {
  return String(text ?? '–')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A table of rows by column; a column is a key of the row and its heading. */
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
