import type { Fetch } from '../egress/http-client';
import { discardBody, readText } from '../egress/read-text';
import type { FetchedDocument } from './ads-reading/wrappers';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Gets the document a wrapper points to: no credentials, redirects followed (ad
 * servers live by them), at most 4 MB. Its macros are filled as for a beacon.
 */
export function wrapperDocuments(fetch: Fetch, fillMacros: (url: string) => string) {
  return async (url: string, signal: AbortSignal): Promise<FetchedDocument> => {
    const response = await fetch(fillMacros(url), {
      signal,
      credentials: 'omit',
      headers: { Accept: 'application/xml, text/xml' },
    });
    if (response.status === 204) return { kind: 'document', text: '<VAST/>' };
    if (!response.ok || !response.body) {
      discardBody(response);
      return { kind: 'error', message: `status ${response.status}` };
    }
    const body = await readText(response, MAX_BYTES);
    if (body === 'too-large') return { kind: 'error', message: `over ${MAX_BYTES} bytes` };
    if (body === 'unknown-encoding') return { kind: 'error', message: 'in an unknown encoding' };
    return { kind: 'document', text: body.pieces.join('') };
  };
}
