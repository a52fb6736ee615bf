import {
  MAX_PAGE_BYTES,
  notMedia,
  PAGE_TYPE,
  type StructureError,
  truncated,
  undecodable,
} from '../media-type';

/**
 * Checks that a file is a complete HTML document that needs no other files. A page with a form or an
 * automatic redirect is not a creative but the log-in page of a captive portal. Linear in its length (rule
 * 31).
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
  // No two adjacent runs of white space: a pattern that can split one run in two ways takes n² steps.
  if (/<form[\s>]|http-equiv\s*=\s*(?:["']\s*)?refresh/i.test(markup))
    return notMedia('a page with a form, or one that leads elsewhere, as a log-in page does');
  return { type: PAGE_TYPE };
}

/** One pass: the end of an unclosed comment is searched once, not from every `<!--`. */
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
