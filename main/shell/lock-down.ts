import { app, type Session } from 'electron';
import type { Log } from '../../shared/log';

/** Denies every permission, on request and on check (rule 21), and every download. */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
}

/**
 * Holds every web contents to what it was created for: no navigation, no new
 * windows, no guests, no dialogs that could stop a kiosk. Call once, before the
 * first window.
 */
export function lockDownContents(log: Log): void {
  app.on('web-contents-created', (_event, contents) => {
    const refuse = (what: string) => (event: { preventDefault(): void; url?: string }) => {
      event.preventDefault();
      log.warn(`a page tried to ${what}; it was held`, { url: event.url ?? null });
    };
    contents.on('will-navigate', refuse('navigate'));
    contents.on('will-frame-navigate', refuse('navigate a frame'));
    contents.on('will-redirect', refuse('redirect'));
    contents.on('will-attach-webview', refuse('attach a guest'));
    contents.on('will-prevent-unload', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      log.warn('a page tried to open a window; it was held', { url });
      return { action: 'deny' };
    });
  });
}
