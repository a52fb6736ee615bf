/** True for a web page: what a store network's log-in or a proxy puts in an answer's place. */
export function looksLikeWebPage(body: string): boolean {
  const start = body
    .slice(0, 4096)
    .replace(/^\uFEFF/, '')
    .replace(/^(\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/, '');
  return /^<(!doctype\s+html|html|head|body|script|meta)\b/i.test(start);
}
