import { useEffect, useId, useRef, useState } from 'react';
import type { SetUpField, SetUpPage, SetUpProblem } from '../../shared/admin';
import { BrandMark } from '../kiosk/cards';
import { ConnectionSteps } from './connection-steps';
import { useModel, useQuery, useTools } from './overlay-context';
import { AskDialog } from './parts/dialog';
import { Alert, Button, LanguageChoice, QueryView } from './parts/pieces';
import { Input } from './parts/text-field';
import { ChoosePin } from './pin';
import {
  ADVANCED,
  isApplicable,
  isSecret,
  missingFields,
  PLAIN,
  withField,
  withoutHidden,
} from './set-up-fields';

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

const MAX_ENTRY_LENGTH = 2_048;
const MAX_SECRET_LENGTH = 4_096;

type Entries = ReturnType<typeof useEntries>;

/** The entries of a set-up. Main tests and saves them. */
function useEntries(page: SetUpPage) {
  const { call, strings, store, showProblem } = useTools();
  const [form, setForm] = useState(page.form);
  const [problems, setProblems] = useState<readonly SetUpProblem[]>([]);
  const [test, setTest] = useState<'untried' | 'running' | 'ended'>('untried');
  const [step, setStep] = useState<'form' | 'pin' | 'saved'>('form');
  const [isSaving, setSaving] = useState(false);
  /** How often an entry was changed. */
  const changes = useRef(0);

  /** Marks the fields that are required and empty; returns whether there are none. */
  const isWhole = () => {
    const gaps = missingFields(form, page.has);
    setProblems(gaps.map((field) => ({ field, code: 'missing', message: '' })));
    return gaps.length === 0;
  };
  /**
   * @param pin null: the present one stays
   * @returns whether main rejected the PIN as weak
   */
  const save = async (pin: string | null): Promise<boolean> => {
    setSaving(true);
    const reply = await call('saveSetUp', { form: withoutHidden(form), pin });
    setSaving(false);
    if (!reply.ok) {
      showProblem(strings.actions['set-up'].name, reply);
      return false;
    }
    const { output } = reply;
    if (output.result === 'weak-pin') return true;
    if (output.result === 'problems') setProblems(output.problems);
    setStep(output.result === 'problems' ? 'form' : 'saved');
    return false;
  };
  return {
    page,
    form,
    problems,
    test,
    step,
    isSaving,
    save,
    change(field: SetUpField, value: string) {
      changes.current += 1;
      setForm((now) => withField(now, field, value));
      setProblems((now) => now.filter((problem) => problem.field !== field));
      setTest('untried');
    },
    async runTest(): Promise<void> {
      if (!isWhole()) return;
      setTest('running');
      store.setState({ steps: [] });
      const tested = changes.current;
      const reply = await call('testSetUp', withoutHidden(form));
      // The fields stay open during a test; its result says nothing about later entries.
      if (changes.current !== tested) return;
      // Steps of an earlier test, of other entries, may have come in between, and may still come.
      setTest(reply.ok && reply.output.result === 'tested' ? 'ended' : 'untried');
      if (!reply.ok) showProblem(strings.runTest, reply);
      else if (reply.output.result === 'problems') setProblems(reply.output.problems);
      else store.setState({ steps: reply.output.steps });
    },
    /** Saves, or asks for the PIN first where there is none. */
    finish() {
      if (!isWhole()) return;
      if (page.has.pin) void save(null);
      else setStep('pin');
    },
    goBack: () => setStep('form'),
  };
}

/** All entries, their test, errors of no field, and the PIN if there is none yet. */
function Steps({ page }: { page: SetUpPage }) {
  const { strings } = useTools();
  const hasNetwork = useModel(({ home }) => home?.actions['connection-test'] !== 'nothing-to-do');
  const box = useRef<HTMLDivElement>(null);
  const setUp = useEntries(page);
  const { form, problems, test } = setUp;
  /** Closed at first, unless a field of it is filled in or has an error. */
  const [isOpen, setOpen] = useState(ADVANCED.some((field) => (form[field] ?? '') !== ''));
  const isWrong = problems.some(({ field }) => field !== null && ADVANCED.includes(field));
  useEffect(() => {
    const wrong = problems.length > 0 && box.current?.querySelector('[aria-invalid="true"]');
    // Not away from a field that somebody types into: each letter changes the problems.
    if (wrong && !(document.activeElement instanceof HTMLInputElement))
      wrong.scrollIntoView({ block: 'center' });
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
      <Fields setUp={setUp} fields={PLAIN} />
      <details open={isOpen || isWrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{strings.advanced}</summary>
        <Fields setUp={setUp} fields={ADVANCED} />
      </details>
      <div lang="en">
        {problems.map(({ field, message }) => field === null && <Alert key={message}>{message}</Alert>)}
      </div>
      {test !== 'untried' && <ConnectionSteps running={isTesting} />}
      <div className="a-dialog-buttons a-wrap">
        {page.canTryDemo && <Demo />}
        {hasNetwork && (
          <Button icon="connection-test" disabled={isTesting} onClick={setUp.runTest}>
            {strings.runTest}
          </Button>
        )}
        <Button kind="main" disabled={isTesting || setUp.isSaving} onClick={setUp.finish}>
          {strings.saveChanges}
        </Button>
      </div>
    </div>
  );
}

function Fields({ setUp, fields }: { setUp: Entries; fields: readonly SetUpField[] }) {
  return (
    <div className="a-fields a-grid">
      {fields
        .filter((field) => isApplicable(field, setUp.form))
        .map((field) => (
          <Entry key={field} setUp={setUp} field={field} />
        ))}
    </div>
  );
}

/** A text field with its label, and its hint or error below. */
function Entry({ setUp: { page, form, problems, change }, field }: { setUp: Entries; field: SetUpField }) {
  const { strings } = useTools();
  const [isShown, setShown] = useState(false);
  const id = useId();
  const { label, hint } = strings.fields[field];
  const secret = isSecret(field);
  const problem = problems.find((one) => one.field === field);
  const isWrong = problem !== undefined;
  const said = { missing: strings.required, address: strings.badAddress, other: strings.badEntry };
  return (
    <div className="a-stack">
      <label className="a-strong" htmlFor={id}>
        {label}
      </label>
      <div className="a-line">
        <Input
          id={id}
          type={secret && !isShown ? 'password' : 'text'}
          value={form[field] ?? ''}
          placeholder={secret && page.has[field] ? strings.stored : ''}
          maxLength={secret ? MAX_SECRET_LENGTH : MAX_ENTRY_LENGTH}
          aria-invalid={isWrong}
          aria-describedby={`${id}-below`}
          onChange={(event) => change(field, event.target.value)}
        />
        {secret && (
          <Button onClick={() => setShown(!isShown)}>
            {isShown ? strings.hideSecret : strings.showSecret}
          </Button>
        )}
      </div>
      <p
        id={`${id}-below`}
        className={isWrong ? 'a-note a-problem' : 'a-note'}
        role={isWrong ? 'alert' : undefined}
      >
        {isWrong ? said[problem.code] : hint}
        {isWrong && problem.code !== 'missing' && <span lang="en"> {problem.message}</span>}
      </p>
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
