import {
  MAX_PAGE_BYTES,
  notMedia,
  PAGE_TYPE,
  type StructureError,
  truncated,
  undecodable,
} from '../media-type';

/**
 * Whether a file is a whole HTML document that can stand alone. A page that wants
 * something typed in, or goes elsewhere by itself, is no creative: it is the log-in
 * page of somebody's network. Linear in its length (rule 31).
 */
export function readPage(bytes: Uint8Array): { readonly type: string } | StructureError {
  if (bytes.length > MAX_PAGE_BYTES)
    return undecodable(`a page of ${bytes.length} bytes, at most ${MAX_PAGE_BYTES} are shown`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undecodable('a page that is not UTF-8');
  }
  const markup = withoutComments(text).trim();
  if (!/^<(!doctype\s+html|html)[\s>]/i.test(markup))
    return notMedia('expected a page, it does not begin like one');
  if (!/<\/html\s*>$/i.test(markup)) return truncated('a page without its end, </html>');
  // No two runs of white space side by side: a pattern that can share one run out in two ways takes n² steps.
  if (/<form[\s>]|http-equiv\s*=\s*(?:["']\s*)?refresh/i.test(markup))
    return notMedia('a page with a form, or one that leads elsewhere: somebody asks for a log-in');
  return { type: PAGE_TYPE };
}

/** One pass: a comment without an end is looked for once, not from every place where it could begin. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const comment = text.indexOf('<!--', from);
    const end = comment < 0 ? -1 : text.indexOf('-->', comment + 4);
    if (end < 0) break;
    kept.push(text.slice(from, comment));
    from = end + 3;
  }
  kept.push(text.slice(from));
  return kept.join('');
}
