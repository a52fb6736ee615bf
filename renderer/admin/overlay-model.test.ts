import { describe, expect, it } from 'vitest';
import type {
  AdminNews,
  ConnectionStep,
  OverlayPageName,
  OverlayState,
  OverlayView,
} from '../../shared/admin';
import { afterNews, INITIAL_MODEL, type OverlayModel } from './overlay-model';
import { exampleHome } from './testing/example-home';

const state = (overlay: OverlayView): OverlayState => ({
  overlay,
  preferences: { language: 'en', theme: 'dark' },
  maintenanceUntil: null,
});
type Change = (model: OverlayModel) => OverlayModel;
const told =
  (message: AdminNews): Change =>
  (model) =>
    afterNews(model, message);
const go =
  (page: OverlayPageName): Change =>
  (model) => ({ ...model, page });
const testBegins: Change = (model) => ({ ...model, steps: [] });
const open = told({ kind: 'overlay', state: state({ view: 'open', mayAct: true }) });
const step = (name: ConnectionStep['step'], ok: boolean): Change =>
  told({
    kind: 'connection-step',
    step: { step: name, ok, code: null, ads: null, message: '', advice: null, ms: 1 },
  });
const modelAfter = (...changes: Change[]): OverlayModel =>
  changes.reduce((model, change) => change(model), INITIAL_MODEL);

describe('the overlay', () => {
  it('shows the data of main', () => {
    const locked = state({ view: 'locked', attemptsLeft: 0, waitMs: 30_000 });
    const model = modelAfter(told({ kind: 'overlay', state: locked }));
    expect(model.state).toEqual(locked);
  });

  it.each(['closed', 'locked'] as const)(
    'forgets its data, and starts at the first page, once it is %s',
    (view) => {
      const overlay: OverlayView = view === 'closed' ? { view } : { view, attemptsLeft: 5, waitMs: 0 };
      const model = modelAfter(
        open,
        (model) => ({ ...model, home: exampleHome() }),
        go('log'),
        step('token', true),
        (model) => ({ ...model, dialog: 'pause', message: { text: 'done', problem: null } }),
        told({ kind: 'overlay', state: state(overlay) }),
      );
      expect(model).toMatchObject({ home: null, steps: [], page: 'home', dialog: null, message: null });
    },
  );

  it('stays on its page while only preferences change', () => {
    const german = {
      ...state({ view: 'open', mayAct: true }),
      preferences: { language: 'de', theme: 'light' },
    } as const;
    const model = modelAfter(open, go('log'), told({ kind: 'overlay', state: german }));
    expect(model.page).toBe('log');
    expect(model.state?.preferences.language).toBe('de');
  });

  it('stores the steps of one connection test, each once', () => {
    const model = modelAfter(open, step('token', false), testBegins, step('token', true), step('ads', true));
    expect(model.steps.map(({ step: name, ok }) => [name, ok])).toEqual([
      ['token', true],
      ['ads', true],
    ]);
    expect(modelAfter(open, step('token', false), step('token', true)).steps).toHaveLength(1);
  });
});
