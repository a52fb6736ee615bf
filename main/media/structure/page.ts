import { type ByteSource, type StructureFault, truncated, undecodable } from './byte-source';

/** Far more than a page without files of its own needs. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Whether a file is a whole HTML document that can stand alone. A page that wants
 * something typed in, or goes elsewhere by itself, is no creative: it is the log-in
 * page of somebody's network.
 */
export async function checkPage(source: ByteSource): Promise<StructureFault | null> {
  if (source.length > MOST_BYTES)
    return undecodable(`a page of ${source.length} bytes, at most ${MOST_BYTES} are shown`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await source.read(0, source.length));
  } catch {
    return undecodable('a page that is not UTF-8');
  }
  const markup = text.replace(/<!--[\s\S]*?-->/g, '').trim();
  if (!/^<(!doctype\s+html|html)[\s>]/i.test(markup))
    return { code: 'not-media', detail: 'expected a page, it does not begin like one' };
  if (!/<\/html\s*>$/i.test(markup)) return truncated('a page without its end, </html>');
  if (/<form[\s>]|http-equiv\s*=\s*["']?\s*refresh/i.test(markup))
    return {
      code: 'not-media',
      detail: 'a page with a form, or one that leads elsewhere: somebody asks for a log-in',
    };
  return null;
}
