import type { Session } from 'electron';

/**
 * What a document of the web may do. Printing and dialogs (windows of the system),
 * downloads, plug-ins and other programs are not in the list. A window that it opens
 * does not inherit the sandbox, because Chromium would then refuse a page with
 * `Cross-Origin-Opener-Policy`: its documents get their own, and `about:blank` has its opener's policy.
 */
const SANDBOX =
  'sandbox allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-top-navigation';

/** `object` is the document of an `object` or `embed`, too. What is no document ignores the policy. */
const DOCUMENTS: ReadonlySet<string> = new Set(['mainFrame', 'subFrame', 'object']);

/**
 * Applies `SANDBOX` to every document of a session, frames included, and blocks what makes documents without it: service
 * workers, and requests ahead of a navigation (speculation rules), whose answer Chromium takes without our headers.
 */
export function restrictDocuments(session: Session): void {
  session.webRequest.onBeforeSendHeaders(({ requestHeaders }, proceed) => {
    const cancel = Object.keys(requestHeaders).some((name) => /^(?:service-worker|sec-purpose)$/i.test(name));
    proceed(cancel ? { cancel } : { requestHeaders });
  });
  session.webRequest.onHeadersReceived(({ resourceType, responseHeaders = {} }, proceed) => {
    if (!DOCUMENTS.has(resourceType)) {
      proceed({ responseHeaders });
      return;
    }
    const own = (name: string) =>
      Object.entries(responseHeaders).flatMap(([header, values]) =>
        header.toLowerCase() === name ? values : [],
      );
    // A PDF would be grey: Chromium's viewer has no plug-in here. The page in a signed exchange has its own headers,
    // without ours. As a download each is refused, and reported.
    // Of several types in one header Chromium takes the last.
    const isRefused = own('content-type').some((type) => /application\/(?:pdf|signed-exchange)/i.test(type));
    const replaced = isRefused
      ? /^(?:content-security-policy|content-disposition)$/i
      : /^content-security-policy$/i;
    const others = Object.entries(responseHeaders).filter(([header]) => !replaced.test(header));
    proceed({
      responseHeaders: {
        ...Object.fromEntries(others),
        'Content-Security-Policy': [...own('content-security-policy'), SANDBOX],
        ...(isRefused && { 'Content-Disposition': ['attachment'] }),
      },
    });
  });
}
