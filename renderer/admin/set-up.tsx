import { useEffect, useRef, useState } from 'react';
import type { SetUpPage } from '../../shared/admin';
import { BrandMark } from '../kiosk/cards';
import { ConnectionSteps } from './connection-steps';
import { useQuery, useTools } from './overlay-context';
import { AskDialog } from './parts/dialog';
import { Button, LanguageChoice, QueryView } from './parts/pieces';
import { ChoosePin } from './pin';
import { SetUpForm, useSetUp } from './set-up-form';

/** The set-up of a kiosk that has no settings yet; it can also try the demo. */
export function FirstSetUp() {
  const { strings } = useTools();
  return (
    <div className="a-fill a-page a-column a-scroll">
      <header className="a-first a-line">
        <BrandMark />
        <h1 className="a-title a-grow">{strings.welcome}</h1>
        <LanguageChoice />
      </header>
      <div className="a-first a-column">
        <p className="a-quiet">{strings.welcomeAbout}</p>
        <SetUp />
      </div>
    </div>
  );
}

export function SetUp() {
  const answer = useQuery('setUp', null, null);
  return <QueryView answer={answer}>{(page) => <Steps page={page} />}</QueryView>;
}

/** All entries, their test, and the PIN if there is none yet. */
function Steps({ page }: { page: SetUpPage }) {
  const { strings } = useTools();
  const box = useRef<HTMLDivElement>(null);
  const setUp = useSetUp(page);
  const { problems, test } = setUp;
  useEffect(() => {
    const wrong = problems.length > 0 && box.current?.querySelector('[aria-invalid="true"]');
    if (wrong) wrong.scrollIntoView({ block: 'center' });
  }, [problems]);
  if (setUp.step === 'saved') {
    return (
      <p className="a-title" role="status">
        {strings.saved}
      </p>
    );
  }
  if (setUp.step === 'pin') {
    return (
      <>
        <ChoosePin onChosen={setUp.save} />
        <Button icon="left" onClick={setUp.goBack}>
          {strings.back}
        </Button>
      </>
    );
  }
  const isTesting = test === 'running';
  return (
    <div ref={box} className="a-column">
      <SetUpForm setUp={setUp} />
      {test !== 'untried' && <ConnectionSteps running={isTesting} />}
      <div className="a-dialog-buttons a-wrap">
        {page.canTryDemo && <Demo />}
        <Button icon="connection-test" disabled={isTesting} onClick={setUp.runTest}>
          {strings.runTest}
        </Button>
        <Button kind="main" disabled={isTesting || setUp.isSaving} onClick={setUp.finish}>
          {strings.saveChanges}
        </Button>
      </div>
    </div>
  );
}

function Demo() {
  const { call, strings, showProblem } = useTools();
  const [asking, setAsking] = useState(false);
  const start = async () => {
    const reply = await call('tryDemo', null);
    if (!reply.ok) showProblem(strings.startDemo, reply);
  };
  return (
    <>
      <Button icon="resume" onClick={() => setAsking(true)}>
        {strings.tryDemo}
      </Button>
      {asking && (
        <AskDialog
          title={strings.tryDemo}
          about={strings.demoAbout}
          choices={[[strings.startDemo, () => void start()]]}
          isAlert
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
