/**
 * For `expect.poll`: does something at once and then every `everyMs`, and looks in between, so that no wait is too long.
 *
 * @param act false: it could not be done yet, and is tried again at the next look
 */
export function repeating<Seen>(
  act: () => unknown,
  look: () => Seen | Promise<Seen>,
  everyMs = 500,
): () => Promise<Seen> {
  let actedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    if (now - actedAt >= everyMs && (await act()) !== false) actedAt = now;
    return look();
  };
}
