import type { ConnectionStep } from '../../shared/admin';
import { useTools } from './overlay-context';
import { Icon } from './parts/icon';
import { numberText } from './wording';

const ORDER = ['token', 'inventory', 'ads', 'native'] as const;

/** The steps of a connection test with what came of each, as they end. */
export function ConnectionSteps({ steps, running }: { steps: readonly ConnectionStep[]; running: boolean }) {
  const { strings } = useTools();
  const expected = running ? ORDER : ORDER.filter((name) => steps.some(({ step }) => step === name));
  const current = ORDER.find((name) => !steps.some(({ step }) => step === name));
  return (
    <ul className="a-steps" aria-live="polite">
      {expected.map((name) => {
        const step = steps.find((done) => done.step === name);
        const state =
          step === undefined ? (name === current ? 'running' : 'waiting') : step.ok ? 'ok' : 'bad';
        return (
          <li key={name} className="a-step" data-state={state}>
            <span className="a-step-mark">
              {state === 'ok' && <Icon name="check" />}
              {state === 'bad' && <Icon name="cross" />}
            </span>
            <div className="a-step-words">
              <p className="a-step-name">{strings.connectionSteps[name]}</p>
              {step === undefined ? (
                <p className="a-quiet">{state === 'running' ? strings.loading : strings.waiting}</p>
              ) : (
                <>
                  <p className={step.ok ? 'a-quiet' : 'a-step-message'} lang="en">
                    {step.message}
                  </p>
                  {step.advice !== null && (
                    <p className="a-step-advice" lang="en">
                      {step.advice}
                    </p>
                  )}
                </>
              )}
            </div>
            {step !== undefined && (
              <span className="a-step-time">{strings.tested(numberText(Math.round(step.ms), strings))}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
