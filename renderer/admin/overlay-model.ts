import type {
  AdminHome,
  AdminNews,
  ConnectionStep,
  ExportState,
  OverlayPageName,
  OverlayState,
} from '../../shared/admin';

export interface OverlayModel {
  /** Null until the first message of main. */
  readonly state: OverlayState | null;
  /** When `state` arrived, ms of `performance.now`: waits count from here. */
  readonly stateReceivedAt: number;
  /** Null until the first one after opening. */
  readonly home: AdminHome | null;
  readonly export: ExportState;
  /** Steps of the last connection test, in order. */
  readonly steps: readonly ConnectionStep[];
  readonly page: OverlayPageName;
}

export const INITIAL_MODEL: OverlayModel = {
  state: null,
  stateReceivedAt: 0,
  home: null,
  export: { state: 'none' },
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
    case 'home':
      // The overlay may have closed before this message arrived.
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
