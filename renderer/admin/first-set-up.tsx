import { useState } from 'react';
import type { SetUpPage, SetUpProblem } from '../../shared/admin';
import { BrandMark } from '../kiosk/cards';
import { ChoosePin } from './choose-pin';
import { ConnectionSteps } from './connection-steps';
import { useQuery, useTools } from './overlay-context';
import { ConfirmDialog } from './parts/dialog';
import { Button, LanguageChoice, QueryView } from './parts/pieces';
import { SetUpForm, useSetUp } from './set-up-form';
import { FIELD_STEPS, PIN_STEP, STEPS, stepFrom, stepOf, TEST_STEP } from './set-up-steps';

/** The set-up of a kiosk that has no settings yet, step by step. */
export function FirstSetUp() {
  return (
    <div className="a-fill a-stack">
      <QueryView answer={useQuery('setUp', null, null)}>{(page) => <FirstSteps page={page} />}</QueryView>
    </div>
  );
}

function FirstSteps({ page }: { page: SetUpPage }) {
  const { strings } = useTools();
  /** Null: the welcome. */
  const [step, setStep] = useState<number | null>(null);
  const [isSaved, setSaved] = useState(false);
  const goTo = (problems: readonly SetUpProblem[]) => {
    const wrong = problems.map(({ field }) => stepOf(field)).find((found) => found !== null);
    if (wrong !== undefined) setStep(wrong);
  };
  const setUp = useSetUp(page, goTo, () => setSaved(true));

  if (isSaved) {
    return (
      <div className="a-welcome a-middle a-stack" role="status">
        <BrandMark />
        <h1 className="a-welcome-title a-title a-large">{strings.saved}</h1>
      </div>
    );
  }
  if (step === null) return <Welcome canTryDemo={page.canTryDemo} onBegin={() => setStep(0)} />;

  const fields = FIELD_STEPS[step] ?? [];
  const isTest = step === TEST_STEP;
  const hasPassed = !isTest || setUp.test === 'good';
  const next = () => {
    if (setUp.check(fields)) setStep(stepFrom(step, 1, setUp.form));
  };
  const back = () => {
    const to = stepFrom(step, -1, setUp.form);
    setStep(to < 0 ? null : to);
  };
  return (
    <>
      <header className="a-head a-line">
        <BrandMark />
        <div className="a-grow">
          <p className="a-quiet">{strings.stepOf(step + 1, STEPS)}</p>
          <h1 className="a-title">{strings.setUpSteps[step]}</h1>
        </div>
      </header>
      <div className="a-page a-first a-column a-scroll" key={step}>
        <p className="a-quiet">{strings.setUpStepAbout[step]}</p>
        <SetUpForm setUp={setUp} fields={fields} />
        {isTest && setUp.test === 'untried' && (
          <Button kind="main" icon="connection-test" onClick={() => void setUp.runTest()}>
            {strings.runTest}
          </Button>
        )}
        {isTest && setUp.test !== 'untried' && <ConnectionSteps running={setUp.test === 'running'} />}
        {step === PIN_STEP && <ChoosePin onChosen={setUp.save} />}
      </div>
      <footer className="a-first-foot a-apart">
        <Button icon="left" onClick={back}>
          {strings.back}
        </Button>
        {isTest && setUp.test === 'bad' && (
          <Button icon="refresh" onClick={() => void setUp.runTest()}>
            {strings.testAgain}
          </Button>
        )}
        {step < PIN_STEP && (
          <Button
            kind={hasPassed ? 'main' : 'plain'}
            disabled={isTest && setUp.test === 'running'}
            onClick={next}
          >
            {hasPassed ? strings.continue : strings.continueAnyway}
          </Button>
        )}
      </footer>
    </>
  );
}

function Welcome({ canTryDemo, onBegin }: { canTryDemo: boolean; onBegin: () => void }) {
  const { calls, strings, showMessage } = useTools();
  const [asking, setAsking] = useState(false);
  const tryDemo = async () => {
    const reply = await calls.ask('tryDemo', null);
    if (!reply.ok)
      showMessage({ tone: 'bad', text: strings.callErrors[reply.code], technical: reply.message });
  };
  return (
    <div className="a-welcome a-middle a-stack">
      <BrandMark />
      <h1 className="a-title a-large">{strings.welcome}</h1>
      <p className="a-quiet">{strings.welcomeAbout}</p>
      <LanguageChoice />
      <div className="a-welcome-buttons a-wrap">
        <Button kind="main" icon="set-up" onClick={onBegin}>
          {strings.begin}
        </Button>
        {canTryDemo && (
          <Button icon="resume" onClick={() => setAsking(true)}>
            {strings.tryDemo}
          </Button>
        )}
      </div>
      {asking && (
        <ConfirmDialog
          name={strings.startDemo}
          about={strings.demoAbout}
          kind="main"
          onYes={() => void tryDemo()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
