import type { ActionName, AdminHome, RecordedAction } from '../../../../shared/admin';
import { both, pageWords, template } from '../../../translations';
import { startAction } from '../../action-dialogs';
import { useModel, useNow, useQuery, useTools, useWords } from '../../overlay-context';
import { Button, Panel, QueryView, TechnicalMessage } from '../../parts/pieces';
import type { OverlayPage } from '../pages';

const LOOK_AGAIN_MS = 3_000;
const GROUPS = ['playing', 'content', 'machine'] as const;
/** All actions in the order of their buttons, each with its group. The settings page has `autostart`. */
const GROUP_OF: Readonly<Record<Exclude<ActionName, 'autostart'>, (typeof GROUPS)[number]>> = {
  pause: 'playing',
  resume: 'playing',
  skip: 'playing',
  sound: 'playing',
  display: 'playing',
  refresh: 'content',
  'clear-media': 'content',
  'connection-test': 'content',
  export: 'content',
  'restart-player': 'machine',
  'restart-kiosk': 'machine',
  leave: 'machine',
  'change-pin': 'machine',
  'set-up': 'machine',
};
const ACTIONS = Object.keys(GROUP_OF) as (keyof typeof GROUP_OF)[];

function ActionsPage() {
  const { groups } = useWords(wordsOf).words;
  const home = useModel((model) => model.home);
  return (
    <div className="a-sides a-grid">
      {GROUPS.map((group) => (
        <section key={group} className="a-column" aria-label={groups[group]}>
          <h2 className="a-label">{groups[group]}</h2>
          <div className="a-action-cards a-grid">
            {ACTIONS.filter((action) => GROUP_OF[action] === group).map((action) => (
              <ActionCard key={action} action={action} home={home} />
            ))}
          </div>
        </section>
      ))}
      <div className="a-recorded">
        <Recorded />
      </div>
    </div>
  );
}

/** Without a state, every action can be tried: main checks each, and one of them may bring the state back. */
function ActionCard({ action, home }: { action: ActionName; home: AdminHome | null }) {
  const tools = useTools();
  const { strings, mayAct } = tools;
  const why = home === null ? (mayAct ? null : 'locked') : home.actions[action];
  // Without a pause there is nothing to resume; while ads are held back there is no next one.
  if (why === 'nothing-to-do') return null;
  const { name, about } = strings.actions[action];
  return (
    <Button
      className="a-action"
      icon={action}
      disabled={why !== null}
      onClick={() => startAction(action, tools)}
    >
      <span className="a-stack">
        <span>{name}</span>
        <span className="a-note">{why === null ? about : strings.why[why]}</span>
      </span>
    </Button>
  );
}

function Recorded() {
  const { words } = useWords(wordsOf);
  const answer = useQuery('recordedActions', { limit: 50 }, LOOK_AGAIN_MS);
  return (
    <Panel title={words.recorded}>
      <QueryView answer={answer}>
        {(records) =>
          records.length === 0 ? (
            <p className="a-quiet">{words.nothingRecorded}</p>
          ) : (
            <ul className="a-list">
              {records.map((record, index) => (
                <RecordedLine key={index} record={record} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  );
}

function RecordedLine({ record: { at, action, outcome, detail, who } }: { record: RecordedAction }) {
  const { strings, words } = useWords(wordsOf);
  const now = useNow();
  const said = detail && strings.recordedText(detail);
  const hasFailed = outcome === 'failed';
  const own: string | undefined = words.recordedNames[action as OwnName];
  const isUnlocking = action === 'unlocked' || action === 'wrong-pin' || action === 'locked-out';
  return (
    <li>
      <span className="a-note">{strings.momentText(at, now)}</span>
      <span className="a-break">
        <span className={hasFailed ? 'a-problem' : undefined}>
          {own ?? strings.actions[action as ActionName].name}
          {hasFailed && !isUnlocking && ` · ${words.failed}`}
        </span>
        {who && <span className="a-quiet"> {words.byFleet(who.key)}</span>}
        {said?.words && <span className="a-quiet"> {said.words}</span>}
        {said?.technical && <TechnicalMessage>{said.technical}</TechnicalMessage>}
      </span>
    </li>
  );
}

/** Recorded actions that have no button here. */
type OwnName = Exclude<RecordedAction['action'], ActionName>;

const wordsOf = pageWords({
  name: both('Actions', 'Aktionen'),
  recorded: both('Recorded actions', 'Aufgezeichnete Aktionen'),
  nothingRecorded: both('Nothing yet.', 'Noch nichts.'),
  recordedNames: both(
    {
      unlocked: 'Unlocked',
      'wrong-pin': 'Wrong PIN',
      'locked-out': 'Locked out',
      screenshot: 'Screenshot',
      announce: 'Announcement',
      log: 'Log sent',
      settings: 'Settings',
      blocks: 'Blocks',
      'fleet-command': 'Command',
    },
    {
      unlocked: 'Entsperrt',
      'wrong-pin': 'Falsche PIN',
      'locked-out': 'Ausgesperrt',
      screenshot: 'Bildschirmfoto',
      announce: 'Mitteilung',
      log: 'Protokoll gesendet',
      settings: 'Einstellungen',
      blocks: 'Sperren',
      'fleet-command': 'Befehl',
    },
  ),
  byFleet: template('from the operator, key {key}', 'vom Betreiber, Schlüssel {key}'),
  failed: both('failed', 'fehlgeschlagen'),
  groups: both(
    { playing: 'Playing', content: 'Content', machine: 'Machine' },
    { playing: 'Programm', content: 'Inhalte', machine: 'Gerät' },
  ),
});

export const page: OverlayPage = {
  icon: 'M13 3.5 5 13.5h5.5L10 20.5l8.5-10.5H13z',
  words: wordsOf,
  Page: ActionsPage,
};
