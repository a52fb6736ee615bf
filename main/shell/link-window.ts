import type { Rectangle, View, WebContents, WebContentsView } from 'electron';

/** A window of a visit: a page, and the place where it is drawn. */
export interface LinkWindow {
  readonly contents: WebContents;
  /** Shows it above the other windows. */
  show(): void;
  hide(): void;
  setBounds(bounds: Rectangle): void;
}

/** A view of its own over the kiosk window: Electron can place and size it, but not turn it. */
export function overWindow(
  made: WebContentsView,
  host: () => View | null,
  bounds: () => Rectangle,
): LinkWindow {
  return {
    contents: made.webContents,
    show() {
      made.setBounds(bounds());
      host()?.addChildView(made);
    },
    hide: () => host()?.removeChildView(made),
    setBounds: (next) => made.setBounds(next),
  };
}
