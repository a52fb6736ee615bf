import type {
  ActionName,
  AdminHome,
  AdminNews,
  AdminProblem,
  ConnectionStep,
  OverlayPageName,
  OverlayState,
} from '../../shared/admin';
import type { Strings } from './wording';

/** Advice for codes without words of the overlay. */
export type Problem = Pick<AdminProblem, 'code' | 'message'> & Partial<AdminProblem>;

/**
 * Shown above the page: a problem until somebody closes it, what is under way until it ends, anything else for some
 * seconds.
 */
export interface Message {
  readonly text: string;
  /** Null: it went well, or is under way. */
  readonly problem: Problem | null;
  /** The action that is under way. */
  readonly underWay?: ActionName;
}

export interface OverlayModel {
  /** Null until the first message of main. */
  readonly state: OverlayState | null;
  /** Asked for while the pages are open; null until the first answer. */
  readonly home: AdminHome | null;
  /** Steps of the last connection test, in order. */
  readonly steps: readonly ConnectionStep[];
  readonly page: OverlayPageName;
  /** The action whose dialog is open. */
  readonly dialog: ActionName | null;
  readonly message: Message | null;
  /** What the report and exports are of; `chosen` counts for the span `choose`. */
  readonly days: { readonly span: PeriodSpan; readonly chosen: DaysBack };
}

export type PeriodSpan = keyof Strings['spans'];
/** Two days, both inclusive, as the number of days before today: 0 is today. */
export type DaysBack = readonly [from: number, to: number];

export const INITIAL_MODEL: OverlayModel = {
  state: null,
  home: null,
  steps: [],
  page: 'home',
  dialog: null,
  message: null,
  days: { span: 'today', chosen: [6, 0] },
};

/** The model after a message of main. Pure. When the view changes, what the one before it showed is dropped. */
export function afterNews(model: OverlayModel, message: AdminNews): OverlayModel {
  switch (message.kind) {
    case 'overlay': {
      const isSameView = message.state.overlay.view === model.state?.overlay.view;
      return { ...(isSameView ? model : INITIAL_MODEL), state: message.state };
    }
    case 'connection-step':
      return {
        ...model,
        steps: [...model.steps.filter(({ step }) => step !== message.step.step), message.step],
      };
  }
}
