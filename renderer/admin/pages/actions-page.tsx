import type { ActionName, AdminHome, RecordedAction, RecordedDetail } from '../../../shared/admin';
import { useAnswer, useModel, useTools } from '../overlay-context';
import { Icon } from '../parts/icon';
import { Panel, Skeleton } from '../parts/pieces';
import { momentText, recordedText } from '../wording';

const LOOK_AGAIN_MS = 3_000;
const GROUPS = {
  playing: ['pause', 'resume', 'skip', 'sound'],
  content: ['refresh', 'clear-media', 'connection-test', 'export'],
  machine: ['restart-player', 'restart-kiosk', 'leave', 'change-pin', 'set-up'],
} as const satisfies Readonly<Record<string, readonly ActionName[]>>;
type Group = keyof typeof GROUPS;

/** Everything that may be done, why something may not, and what was done. */
export function ActionsPage() {
  const { strings } = useTools();
  const home = useModel((model) => model.home);
  return (
    <div className="a-actions">
      {home === null ? (
        <Skeleton lines={10} />
      ) : (
        (Object.keys(GROUPS) as Group[]).map((group) => (
          <section key={group} className="a-action-group" aria-label={strings.groups[group]}>
            <h2 className="a-label">{strings.groups[group]}</h2>
            <div className="a-action-cards">
              {GROUPS[group].map((action) => (
                <ActionCard key={action} action={action} home={home} />
              ))}
            </div>
          </section>
        ))
      )}
      <Recorded />
    </div>
  );
}

function ActionCard({ action, home }: { action: ActionName; home: AdminHome }) {
  const { strings, begin } = useTools();
  const told = home.actions.find((one) => one.action === action);
  const available = told?.available ?? false;
  // One of the two is always without a sense; only the other is shown.
  if (!available && told?.why === 'nothing-to-do' && (action === 'resume' || action === 'pause')) return null;
  const { name, about } = strings.actions[action];
  const why = told?.why ?? 'not-here';
  return (
    <button type="button" className="a-action" disabled={!available} onClick={() => begin(action)}>
      <Icon name={action} />
      <span className="a-action-words">
        <span className="a-action-name">{name}</span>
        <span className="a-action-about">{available ? about : strings.why[why]}</span>
      </span>
    </button>
  );
}

function Detail({ detail }: { detail: RecordedDetail }) {
  const { strings } = useTools();
  const { words, technical } = recordedText(detail, strings);
  return (
    <>
      {words !== null && <span className="a-quiet"> {words}</span>}
      {technical !== null && (
        <span className="a-technical" lang="en">
          {technical}
        </span>
      )}
    </>
  );
}

function Recorded() {
  const { strings } = useTools();
  const now = useModel(({ home }) => home?.clock.now ?? 0);
  const { output } = useAnswer('recordedActions', { limit: 50 }, LOOK_AGAIN_MS);
  return (
    <Panel title={strings.recorded} className="a-recorded">
      {output === null ? (
        <Skeleton lines={3} />
      ) : output.length === 0 ? (
        <p className="a-quiet">{strings.nothingRecorded}</p>
      ) : (
        <ul className="a-records">
          {output.map((record, index) => (
            <li key={index} className="a-record" data-failed={record.outcome === 'failed'}>
              <span className="a-record-time">{momentText(record.at, now, strings)}</span>
              <span className="a-record-words">
                {nameOf(record.action)}
                {record.outcome === 'failed' && record.action in strings.actions && ` · ${strings.failed}`}
                {record.detail !== null && <Detail detail={record.detail} />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );

  function nameOf(action: RecordedAction['action']): string {
    if (action === 'unlocked' || action === 'wrong-pin' || action === 'locked-out')
      return strings.recordedNames[action];
    return strings.actions[action].name;
  }
}
