/** For `expect.poll`: does something at once and then every `everyMs`, and looks in between, so that no wait is too long. */
export function repeating<Seen>(
  act: () => unknown,
  look: () => Seen | Promise<Seen>,
  everyMs = 500,
): () => Promise<Seen> {
  let actedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - actedAt >= everyMs) {
      actedAt = performance.now();
      await act();
    }
    return look();
  };
}
