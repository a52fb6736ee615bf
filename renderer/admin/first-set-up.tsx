import { useState } from 'react';
import type { SetUpPage, WeakPin } from '../../shared/admin';
import { ChoosePin } from './choose-pin';
import { ConnectionSteps } from './connection-steps';
import { LanguageChoice } from './language-choice';
import { useAnswer, useModel, useTools } from './overlay-context';
import { BrandMark } from './parts/brand-mark';
import { Dialog } from './parts/dialog';
import { Icon } from './parts/icon';
import { Button, Refused, Skeleton } from './parts/pieces';
import { GeneralProblems, SetUpFields, useSetUp } from './set-up-form';
import { FIELD_STEPS, PIN_STEP, STEPS, stepOf, TEST_STEP } from './set-up-steps';

/** The first set-up: shown on a kiosk without settings, and the only thing there. */
export function FirstSetUp() {
  const { output, refusal, again } = useAnswer('setUp', null, null);
  return (
    <div className="a-first">
      {output !== null ? (
        <FirstSteps page={output} />
      ) : refusal !== null ? (
        <Refused code={refusal.code} message={refusal.message} onRetry={again} />
      ) : (
        <Skeleton lines={6} />
      )}
    </div>
  );
}

function FirstSteps({ page }: { page: SetUpPage }) {
  const { strings } = useTools();
  const setUp = useSetUp(page);
  const steps = useModel((model) => model.steps);
  /** Null: the welcome. */
  const [step, setStep] = useState<number | null>(null);
  const [weak, setWeak] = useState<WeakPin | null>(null);
  const [pinRound, setPinRound] = useState(0);

  if (setUp.saving === 'saved') {
    return (
      <div className="a-welcome" role="status">
        <BrandMark />
        <h1 className="a-welcome-title">{strings.saved}</h1>
      </div>
    );
  }
  if (step === null) return <Welcome canTryDemo={page.canTryDemo} onBegin={() => setStep(0)} />;

  const fields = FIELD_STEPS[step];
  const goTo = (problems: readonly { field: Parameters<typeof stepOf>[0] }[]) => {
    const target = problems.map(({ field }) => stepOf(field)).find((found) => found !== null);
    if (target !== undefined && target !== null) setStep(target);
  };
  const next = () => {
    if (fields !== undefined && !setUp.check(fields)) return;
    setStep(step + 1);
  };
  const save = async (pin: string) => {
    const saved = await setUp.save(pin);
    if (saved.result === 'weak-pin') {
      setWeak(saved.why);
      setPinRound(pinRound + 1);
    } else if (saved.result === 'problems') goTo(saved.problems);
  };
  return (
    <>
      <header className="a-first-head">
        <BrandMark />
        <div className="a-first-words">
          <p className="a-quiet">{strings.stepOf(step + 1, STEPS)}</p>
          <h1 className="a-first-title">{strings.setUpSteps[step]}</h1>
        </div>
        <ol className="a-first-dots" aria-hidden="true">
          {strings.setUpSteps.map((name, index) => (
            <li key={name} data-state={index < step ? 'done' : index === step ? 'now' : 'later'}>
              <span className="a-first-dot">{index < step ? <Icon name="check" /> : index + 1}</span>
              <span className="a-first-name">{name}</span>
            </li>
          ))}
        </ol>
      </header>
      <div className="a-first-body" key={step}>
        <p className="a-first-about">{strings.setUpStepAbout[step]}</p>
        {fields !== undefined && <SetUpFields setUp={setUp} fields={fields} />}
        {step === TEST_STEP &&
          (setUp.test === 'untried' ? (
            <Button kind="main" icon="connection-test" onPress={() => void setUp.runTest().then(goTo)}>
              {strings.runTest}
            </Button>
          ) : (
            <ConnectionSteps steps={steps} running={setUp.test === 'running'} />
          ))}
        {step === PIN_STEP && (
          <ChoosePin key={pinRound} refused={weak} onChosen={(pin) => void save(pin)} onEscape={null} />
        )}
        <GeneralProblems problems={setUp.problems} />
      </div>
      <footer className="a-first-foot">
        <Button icon="left" onPress={() => setStep(step === 0 ? null : step - 1)}>
          {strings.back}
        </Button>
        {step === TEST_STEP && setUp.test === 'bad' && (
          <Button icon="refresh" onPress={() => void setUp.runTest().then(goTo)}>
            {strings.testAgain}
          </Button>
        )}
        {step < PIN_STEP && (
          <Button
            kind={step === TEST_STEP && setUp.test !== 'good' ? 'plain' : 'main'}
            disabled={step === TEST_STEP && setUp.test === 'running'}
            onPress={next}
          >
            {step === TEST_STEP && setUp.test !== 'good' ? strings.continueAnyway : strings.continue}
          </Button>
        )}
      </footer>
    </>
  );
}

function Welcome({ canTryDemo, onBegin }: { canTryDemo: boolean; onBegin: () => void }) {
  const { calls, strings, say } = useTools();
  const [asking, setAsking] = useState(false);
  const tryDemo = async () => {
    setAsking(false);
    const reply = await calls.ask('tryDemo', null);
    if (!reply.ok)
      say({ tone: 'bad', text: strings.faults[reply.code], detail: null, technical: reply.message });
  };
  return (
    <div className="a-welcome">
      <BrandMark />
      <h1 className="a-welcome-title">{strings.welcome}</h1>
      <p className="a-welcome-about">{strings.welcomeAbout}</p>
      <LanguageChoice />
      <div className="a-welcome-buttons">
        <Button kind="main" icon="set-up" onPress={onBegin}>
          {strings.begin}
        </Button>
        {canTryDemo && (
          <Button icon="resume" onPress={() => setAsking(true)}>
            {strings.tryDemo}
          </Button>
        )}
      </div>
      {asking && (
        <Dialog
          alert
          title={strings.sure.demo.ask}
          about={strings.sure.demo.about}
          onClose={() => setAsking(false)}
          buttons={
            <>
              <Button onPress={() => setAsking(false)}>{strings.cancel}</Button>
              <Button kind="main" onPress={() => void tryDemo()}>
                {strings.sure.demo.yes}
              </Button>
            </>
          }
        />
      )}
    </div>
  );
}
