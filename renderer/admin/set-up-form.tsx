import { useEffect, useRef, useState } from 'react';
import type { AdminOutput, SetUpField, SetUpPage, SetUpProblem, WeakPin } from '../../shared/admin';
import { ChoosePin } from './choose-pin';
import { ConnectionSteps } from './connection-steps';
import { useQuery, useTools } from './overlay-context';
import { Dialog } from './parts/dialog';
import { Alert, Button, Choice, QueryView } from './parts/pieces';
import { TextField } from './parts/text-field';
import {
  FIELD_STEPS,
  isAdvanced,
  isApplicable,
  isSecret,
  missingFields,
  withField,
  withoutHidden,
} from './set-up-steps';

const KEEP_AFTER_MS = 1_000;
const ENTRY_LIMIT = 2_048;
const SECRET_LIMIT = 4_096;

export type SetUp = ReturnType<typeof useSetUp>;

/** The form of the set-up. Main stores a draft while somebody types; it also tests and saves the form. */
export function useSetUp(page: SetUpPage) {
  const { calls, strings, store, showMessage } = useTools();
  const [form, setForm] = useState(page.form);
  const [problems, setProblems] = useState<readonly SetUpProblem[]>([]);
  const [test, setTest] = useState<'untried' | 'running' | 'good' | 'bad'>('untried');
  const [saving, setSaving] = useState<'no' | 'running' | 'saved'>('no');
  const touched = useRef(false);
  const isSaving = useRef(false);

  useEffect(() => {
    if (!touched.current) return;
    const draft = { ...form, clientSecret: null, apptoken: null, proxyPassword: null };
    const timer = setTimeout(() => void calls.ask('keepSetUpDraft', draft), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [calls, form]);

  return {
    page,
    form,
    problems,
    test,
    saving,
    change(field: SetUpField, value: string) {
      touched.current = true;
      setForm((now) => withField(now, field, value));
      setProblems((now) => now.filter((problem) => problem.field !== field));
      setTest('untried');
    },
    /** Marks those of these fields that are required and empty; returns whether there are none. */
    check(fields: readonly SetUpField[]): boolean {
      const asked = fields.filter((field) => isApplicable(field, form));
      const gaps = missingFields(asked, form, page.has).map(
        (field): SetUpProblem => ({ field, code: 'missing', message: strings.required }),
      );
      setProblems(gaps);
      return gaps.length === 0;
    },
    async runTest(): Promise<readonly SetUpProblem[]> {
      setTest('running');
      store.setState({ steps: [] });
      const reply = await calls.ask('testSetUp', withoutHidden(form));
      const output: AdminOutput<'testSetUp'> = reply.ok
        ? reply.output
        : {
            result: 'problems',
            problems: [{ field: null, code: 'other', message: strings.callErrors[reply.code] }],
          };
      const found = output.result === 'problems' ? output.problems : [];
      setProblems(found);
      setTest(output.result === 'tested' && output.steps.every(({ ok }) => ok) ? 'good' : 'bad');
      return found;
    },
    /** Null: the call failed, or another one is under way. */
    async save(pin: string | null): Promise<AdminOutput<'saveSetUp'> | null> {
      // OK was pressed twice.
      if (isSaving.current) return null;
      isSaving.current = true;
      setSaving('running');
      const reply = await calls.ask('saveSetUp', { form: withoutHidden(form), pin });
      isSaving.current = reply.ok && reply.output.result === 'saved';
      setSaving(isSaving.current ? 'saved' : 'no');
      if (!reply.ok) {
        showMessage({ tone: 'bad', text: strings.callErrors[reply.code], technical: reply.message });
        return null;
      }
      if (reply.output.result === 'problems') setProblems(reply.output.problems);
      return reply.output;
    },
  };
}

/** Some of the set-up's fields with their errors. */
export function SetUpFields({ setUp, fields }: { setUp: SetUp; fields: readonly SetUpField[] }) {
  return (
    <>
      <Fields setUp={setUp} fields={fields.filter((field) => !isAdvanced(field))} />
      {fields.some(isAdvanced) && <Advanced setUp={setUp} fields={fields.filter(isAdvanced)} />}
    </>
  );
}

/** Closed at first, unless a field of it is filled in or has an error. */
function Advanced({ setUp, fields }: { setUp: SetUp; fields: readonly SetUpField[] }) {
  const { strings } = useTools();
  const [isOpen, setOpen] = useState(fields.some((field) => (setUp.form[field] ?? '') !== ''));
  const isWrong = setUp.problems.some(({ field }) => field !== null && fields.includes(field));
  return (
    <details open={isOpen || isWrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{strings.advanced}</summary>
      <Fields setUp={setUp} fields={fields} />
    </details>
  );
}

function Fields({ setUp, fields }: { setUp: SetUp; fields: readonly SetUpField[] }) {
  const { strings } = useTools();
  const problemText = (problem: SetUpProblem | undefined) => {
    if (problem === undefined) return null;
    if (problem.code === 'missing') return strings.required;
    return problem.code === 'address' ? strings.badAddress : `${strings.badEntry} ${problem.message}`;
  };
  const { form, page, problems, change } = setUp;
  return (
    <div className="a-fields">
      {fields
        .filter((field) => isApplicable(field, form))
        .map((field) => {
          const { label, hint } = strings.fields[field];
          if (field === 'authentication') {
            return (
              <div key={field} className="a-stack">
                <span className="a-strong">{label}</span>
                <Choice
                  label={label}
                  value={form.authentication}
                  options={(['bearer', 'none'] as const).map((value) => ({
                    value,
                    words: strings.authentications[value],
                  }))}
                  onChoose={(value) => change(field, value)}
                />
              </div>
            );
          }
          const secret = isSecret(field);
          return (
            <TextField
              key={field}
              label={label}
              hint={hint}
              value={form[field] ?? ''}
              secret={secret}
              placeholder={secret && page.has[field] ? strings.stored : ''}
              limit={secret ? SECRET_LIMIT : ENTRY_LIMIT}
              problem={problemText(problems.find((problem) => problem.field === field))}
              onChange={(value) => change(field, value)}
            />
          );
        })}
    </div>
  );
}

export function GeneralProblems({ problems }: { problems: readonly SetUpProblem[] }) {
  const general = problems.filter(({ field }) => field === null);
  return general.map(({ message }) => <Alert key={message}>{message}</Alert>);
}

/** The set-up of a kiosk that has settings: everything on one page. */
export function SetUpDialog({ onClose }: { onClose: () => void }) {
  const { strings } = useTools();
  const answer = useQuery('setUp', null, null);
  return (
    <Dialog title={strings.actions['set-up'].name} onClose={onClose} wide>
      <QueryView answer={answer}>{(page) => <ChangeSetUp page={page} onClose={onClose} />}</QueryView>
    </Dialog>
  );
}

const ALL_FIELDS = FIELD_STEPS.flat();

function ChangeSetUp({ page, onClose }: { page: SetUpPage; onClose: () => void }) {
  const { strings, showMessage, mayAct } = useTools();
  const setUp = useSetUp(page);
  const [isChoosingPin, setChoosingPin] = useState(false);
  const save = async (pin: string | null): Promise<WeakPin | null> => {
    const saved = await setUp.save(pin);
    setChoosingPin(saved?.result === 'weak-pin');
    if (saved?.result === 'weak-pin') return saved.why;
    if (saved?.result !== 'saved') return null;
    showMessage({ tone: 'good', text: strings.saved });
    onClose();
    return null;
  };
  if (isChoosingPin) return <ChoosePin onChosen={save} />;
  return (
    <>
      <SetUpFields setUp={setUp} fields={ALL_FIELDS} />
      <GeneralProblems problems={setUp.problems} />
      {setUp.test !== 'untried' && <ConnectionSteps running={setUp.test === 'running'} />}
      <div className="a-dialog-buttons a-wrap">
        <Button
          icon="connection-test"
          disabled={setUp.test === 'running' || !mayAct}
          onClick={() => setUp.check(ALL_FIELDS) && void setUp.runTest()}
        >
          {strings.runTest}
        </Button>
        <Button
          kind="main"
          disabled={setUp.saving !== 'no' || !mayAct}
          onClick={() => {
            if (!setUp.check(ALL_FIELDS)) return;
            if (page.has.pin) void save(null);
            else setChoosingPin(true);
          }}
        >
          {strings.saveChanges}
        </Button>
      </div>
    </>
  );
}
