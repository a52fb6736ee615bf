import type { AdminHome, AdminNews, ConnectionStep, OverlayPageName, OverlayState } from '../../shared/admin';

export interface OverlayModel {
  /** Null until the first message of main. */
  readonly state: OverlayState | null;
  /** When `state` arrived, ms of `performance.now`: waits count from here. */
  readonly stateReceivedAt: number;
  /** Asked for while the pages are open; null until the first answer. */
  readonly home: AdminHome | null;
  /** Steps of the last connection test, in order. */
  readonly steps: readonly ConnectionStep[];
  readonly page: OverlayPageName;
}

export const INITIAL_MODEL: OverlayModel = {
  state: null,
  stateReceivedAt: 0,
  home: null,
  steps: [],
  page: 'home',
};

/**
 * The model after a message of main that came `at` this time. Pure. When the overlay closes or locks, what it showed is
 * dropped.
 */
export function afterNews(model: OverlayModel, message: AdminNews, at: number): OverlayModel {
  switch (message.kind) {
    case 'overlay': {
      const told = { ...model, state: message.state, stateReceivedAt: at };
      const seesKiosk = message.state.overlay.view === 'open';
      return seesKiosk ? told : { ...told, home: null, steps: [], page: 'home' };
    }
    case 'connection-step':
      return {
        ...model,
        steps: [...model.steps.filter(({ step }) => step !== message.step.step), message.step],
      };
  }
}
