import type {
  ActionName,
  AdminHome,
  AdminNews,
  ConnectionStep,
  OverlayPageName,
  OverlayState,
} from '../../shared/admin';

/** Shown for some seconds above the page. */
export interface Message {
  readonly tone: 'good' | 'bad';
  readonly text: string;
  readonly detail?: string | null;
  /** The program's message, in English. */
  readonly technical?: string;
}

export interface OverlayModel {
  /** Null until the first message of main. */
  readonly state: OverlayState | null;
  /** Asked for while the pages are open; null until the first answer. */
  readonly home: AdminHome | null;
  /** Whether the latest question for it was refused, or is not answered yet. */
  readonly isHomeMissing: boolean;
  /** Steps of the last connection test, in order. */
  readonly steps: readonly ConnectionStep[];
  readonly page: OverlayPageName;
  /** The action whose dialog is open. */
  readonly dialog: ActionName | null;
  readonly message: Message | null;
}

export const INITIAL_MODEL: OverlayModel = {
  state: null,
  home: null,
  isHomeMissing: false,
  steps: [],
  page: 'home',
  dialog: null,
  message: null,
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
