import type { ConnectionStep } from '../../shared/admin';
import { useModel, useTools } from './overlay-context';
import { Icon } from './parts/icon';
import { ProblemWords } from './parts/pieces';

const ORDER = ['token', 'inventory', 'ads', 'native'] as const;

function Outcome({ step: { step, ok, code, message, advice, ads } }: { step: ConnectionStep }) {
  const { none, ...found } = useTools().strings.testFound;
  if (!ok) return <ProblemWords code={code ?? ''} message={message} advice={advice} />;
  const counted = step === 'token' || step === 'inventory' ? found[step] : ads ? found[step](ads) : none;
  return <p className="a-quiet">{counted}</p>;
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
              {state === 'ok' && <Icon name="check" />}
              {state === 'running' && <Icon name="wait" />}
              {state === 'bad' && <Icon name="close" />}
            </span>
            <div className="a-break">
              <p className="a-strong a-apart">
                {strings.connectionSteps[name]}
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
