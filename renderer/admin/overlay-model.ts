import type { AdminHome, AdminNews, ConnectionStep, ExportState, OverlayState } from '../../shared/admin';

export const PAGES = ['home', 'ads', 'plays', 'beacons', 'signals', 'log', 'actions', 'settings'] as const;
export type PageName = (typeof PAGES)[number];

/** All that the overlay shows and main has told, and where in it somebody is. */
export interface OverlayModel {
  /** Null until main has spoken. */
  readonly state: OverlayState | null;
  /** When `state` was told, ms of a monotonic clock: what a wait is counted from. */
  readonly toldAt: number;
  /** Null until the first is told after opening. */
  readonly home: AdminHome | null;
  readonly export: ExportState;
  /** Of the connection test that ran last, in order. */
  readonly steps: readonly ConnectionStep[];
  readonly page: PageName;
}

export type OverlayEvent =
  | { readonly kind: 'told'; readonly message: AdminNews; readonly at: number }
  | { readonly kind: 'go'; readonly page: PageName }
  | { readonly kind: 'test-begins' };

export const NOTHING_TOLD: OverlayModel = {
  state: null,
  toldAt: 0,
  home: null,
  export: { state: 'none' },
  steps: [],
  page: 'home',
};

/** The model after `event`. Pure. What was seen while it was open is forgotten when it is not. */
export function afterEvent(model: OverlayModel, event: OverlayEvent): OverlayModel {
  switch (event.kind) {
    case 'go':
      return { ...model, page: event.page };
    case 'test-begins':
      return { ...model, steps: [] };
    case 'told':
      return afterTold(model, event.message, event.at);
  }
}

function afterTold(model: OverlayModel, message: AdminNews, at: number): OverlayModel {
  switch (message.kind) {
    case 'overlay': {
      const told = { ...model, state: message.state, toldAt: at };
      const seesKiosk = message.state.overlay.view === 'open';
      return seesKiosk ? told : { ...told, home: null, steps: [], page: 'home' };
    }
    case 'home':
      // One that was under way while the overlay closed is nobody's any more.
      return model.state?.overlay.view === 'open' ? { ...model, home: message.home } : model;
    case 'export':
      return { ...model, export: message.export };
    case 'connection-step':
      return {
        ...model,
        steps: [...model.steps.filter(({ step }) => step !== message.step.step), message.step],
      };
  }
}
