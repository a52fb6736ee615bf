import type { ConnectionStep } from '../../shared/admin';
import { useModel, useTools } from './overlay-context';
import { Icon } from './parts/icon';
import { ProblemWords } from './parts/pieces';

const ORDER = ['token', 'inventory', 'ads', 'native'] as const;
const ICONS = { waiting: null, running: 'wait', ok: 'check', bad: 'close' } as const;

function Outcome({ step: { ok, code, message, advice, ads } }: { step: ConnectionStep }) {
  const { works, adCount, noAds } = useTools().strings;
  if (!ok) return <ProblemWords code={code ?? ''} message={message} advice={advice} />;
  const found = ads === null ? works : ads > 0 ? adCount(ads) : noAds;
  return <p className="a-quiet">{found}</p>;
}

/** The steps of the last connection test and their results, as they end. */
export function ConnectionSteps({ running }: { running: boolean }) {
  const { strings } = useTools();
  const steps = useModel((model) => model.steps);
  const expected = running ? ORDER : ORDER.filter((name) => steps.some(({ step }) => step === name));
  const current = ORDER.find((name) => !steps.some(({ step }) => step === name));
  return (
    <ul className="a-list" aria-live="polite">
      {expected.map((name) => {
        const step = steps.find((done) => done.step === name);
        const state =
          step === undefined ? (name === current ? 'running' : 'waiting') : step.ok ? 'ok' : 'bad';
        return (
          <li key={name} className="a-step" data-state={state}>
            <span className="a-disc a-centre" data-tone={state === 'ok' ? 'good' : state}>
              {ICONS[state] && <Icon name={ICONS[state]} />}
            </span>
            <div className="a-break">
              <p className="a-strong a-apart">
                {strings.operations[name]}
                {step !== undefined && <span className="a-note">{strings.tested(Math.round(step.ms))}</span>}
              </p>
              {step === undefined ? (
                <p className="a-quiet">{state === 'running' ? strings.loading : strings.waiting}</p>
              ) : (
                <Outcome step={step} />
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
