import { useCallback, useEffect, useRef, useState } from 'react';
import type { SetUpField, SetUpForm, SetUpPage, SetUpProblem, WeakPin } from '../../shared/admin';
import { ConnectionSteps } from './connection-steps';
import { useAnswer, useModel, useTools } from './overlay-context';
import { Dialog } from './parts/dialog';
import { Icon } from './parts/icon';
import { Button, Choice, Refused, Skeleton } from './parts/pieces';
import { TextField } from './parts/text-field';
import { FIELD_STEPS, isAdvanced, isAsked, isSecret, missing, withField } from './set-up-steps';

const KEEP_AFTER_MS = 1_000;
const ENTRY_LIMIT = 2_048;
const SECRET_LIMIT = 4_096;

export interface SetUp {
  readonly page: SetUpPage;
  readonly form: SetUpForm;
  readonly problems: readonly SetUpProblem[];
  readonly test: 'untried' | 'running' | 'good' | 'bad';
  readonly saving: 'no' | 'running' | 'saved';
  readonly change: (field: SetUpField, value: string) => void;
  /** Fields of these that are empty and must not be; they are marked. */
  readonly check: (fields: readonly SetUpField[]) => boolean;
  readonly runTest: () => Promise<readonly SetUpProblem[]>;
  readonly save: (pin: string | null) => Promise<SaveResult>;
}
export type SaveResult =
  | { readonly result: 'saved' }
  | { readonly result: 'problems'; readonly problems: readonly SetUpProblem[] }
  | { readonly result: 'weak-pin'; readonly why: WeakPin }
  | { readonly result: 'refused' };

/** What is typed into the set-up, kept by main as it grows, tested and saved. */
export function useSetUp(page: SetUpPage): SetUp {
  const { calls, strings, tell, say } = useTools();
  const [form, setForm] = useState(page.form);
  const [problems, setProblems] = useState<readonly SetUpProblem[]>([]);
  const [test, setTest] = useState<SetUp['test']>('untried');
  const [saving, setSaving] = useState<SetUp['saving']>('no');
  const managed = page.mode === 'managed';
  const touched = useRef(false);
  const isSaving = useRef(false);

  useEffect(() => {
    if (managed || !touched.current) return;
    const draft = { ...form, clientSecret: null, apptoken: null, proxyPassword: null };
    const timer = setTimeout(() => void calls.ask('keepSetUpDraft', draft), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [calls, form, managed]);

  return {
    page,
    form,
    problems,
    test,
    saving,
    change(field, value) {
      touched.current = true;
      setForm((now) => withField(now, field, value));
      setProblems((now) => now.filter((problem) => problem.field !== field));
      setTest('untried');
    },
    check(fields) {
      const asked = fields.filter((field) => isAsked(field, form));
      const gaps = missing(asked, form, page.has).map((field) => ({
        ...{ field, code: 'missing' as const },
        message: strings.required,
      }));
      setProblems(gaps);
      return gaps.length === 0;
    },
    async runTest() {
      setTest('running');
      tell({ kind: 'test-begins' });
      const reply = await calls.ask('testSetUp', form);
      if (!reply.ok || reply.output.result === 'problems') {
        const found =
          reply.ok && reply.output.result === 'problems'
            ? reply.output.problems
            : [{ field: null, code: 'other' as const, message: reply.ok ? '' : strings.faults[reply.code] }];
        setProblems(found);
        setTest('bad');
        return found;
      }
      setProblems([]);
      setTest(reply.output.steps.every(({ ok }) => ok) ? 'good' : 'bad');
      return [];
    },
    async save(pin) {
      // A second press of the last OK asks for nothing more.
      if (isSaving.current) return { result: 'refused' };
      isSaving.current = true;
      setSaving('running');
      const reply = await calls.ask('saveSetUp', { form, pin });
      isSaving.current = reply.ok && reply.output.result === 'saved';
      setSaving(isSaving.current ? 'saved' : 'no');
      if (!reply.ok) {
        say({ tone: 'bad', text: strings.faults[reply.code], detail: null, technical: reply.message });
        return { result: 'refused' };
      }
      if (reply.output.result === 'problems') setProblems(reply.output.problems);
      return reply.output.result === 'saved' ? { result: 'saved' } : reply.output;
    },
  };
}

/** Some of the set-up's fields, with what is wrong beside each. */
export function SetUpFields({ setUp, fields }: { setUp: SetUp; fields: readonly SetUpField[] }) {
  return (
    <>
      <Fields setUp={setUp} fields={fields.filter((field) => !isAdvanced(field))} />
      {fields.some(isAdvanced) && <Advanced setUp={setUp} fields={fields.filter(isAdvanced)} />}
    </>
  );
}

/** Closed at first, and open wherever something stands in it or is wrong with it. */
function Advanced({ setUp, fields }: { setUp: SetUp; fields: readonly SetUpField[] }) {
  const { strings } = useTools();
  const [isOpen, setOpen] = useState(fields.some((field) => (setUp.form[field] ?? '') !== ''));
  const isWrong = setUp.problems.some(({ field }) => field !== null && fields.includes(field));
  return (
    <details
      className="a-advanced"
      open={isOpen || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="chevron" />
        {strings.advanced}
      </summary>
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
  const managed = page.mode === 'managed';
  return (
    <div className="a-fields">
      {fields
        .filter((field) => isAsked(field, form))
        .map((field) => {
          const { label, hint } = strings.fields[field];
          if (field === 'authentication') {
            return (
              <div key={field} className="a-field">
                <span className="a-field-label">{label}</span>
                <Choice
                  label={label}
                  value={form.authentication}
                  disabled={managed}
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
              readOnly={managed}
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
  return general.map(({ message }) => (
    <p key={message} className="a-problem" role="alert">
      {message}
    </p>
  ));
}

/** The set-up of a kiosk that has one: everything on one page. */
export function SetUpDialog({ onClose }: { onClose: () => void }) {
  const { strings } = useTools();
  const { output, refusal, again } = useAnswer('setUp', null, null);
  const managed = output?.mode === 'managed';
  return (
    <Dialog
      title={managed ? strings.managedByFile : strings.setUp}
      {...(managed ? { about: strings.managedAbout } : {})}
      onClose={onClose}
      wide
    >
      {output !== null ? (
        <ChangeSetUp page={output} onClose={onClose} />
      ) : refusal !== null ? (
        <Refused code={refusal.code} message={refusal.message} onRetry={again} />
      ) : (
        <Skeleton lines={6} />
      )}
    </Dialog>
  );
}

const ALL_FIELDS = FIELD_STEPS.flat();

function ChangeSetUp({ page, onClose }: { page: SetUpPage; onClose: () => void }) {
  const { strings, say, mayAct } = useTools();
  const setUp = useSetUp(page);
  const steps = useModel((model) => model.steps);
  const save = useCallback(async () => {
    if (!setUp.check(ALL_FIELDS)) return;
    const { result } = await setUp.save(null);
    if (result !== 'saved') return;
    say({ tone: 'good', text: strings.saved, detail: null });
    onClose();
  }, [setUp, say, strings, onClose]);
  return (
    <>
      {page.file !== null && <p className="a-quiet a-mono a-break">{page.file}</p>}
      <SetUpFields setUp={setUp} fields={ALL_FIELDS} />
      <GeneralProblems problems={setUp.problems} />
      {setUp.test !== 'untried' && <ConnectionSteps steps={steps} running={setUp.test === 'running'} />}
      {page.mode !== 'managed' && (
        <div className="a-dialog-buttons">
          <Button
            icon="connection-test"
            disabled={setUp.test === 'running' || !mayAct}
            onPress={() => setUp.check(ALL_FIELDS) && void setUp.runTest()}
          >
            {strings.runTest}
          </Button>
          <Button kind="main" disabled={setUp.saving !== 'no' || !mayAct} onPress={() => void save()}>
            {strings.saveChanges}
          </Button>
        </div>
      )}
    </>
  );
}
