import { useEffect, useId, useState } from 'react';
import type { SetUpField, SetUpPage, SetUpProblem, WeakPin } from '../../shared/admin';
import { useTools } from './overlay-context';
import { Alert, Button, Choice } from './parts/pieces';
import { Input } from './parts/text-field';
import { isAdvanced, isApplicable, isSecret, missingFields, withField, withoutHidden } from './set-up-steps';

const KEEP_AFTER_MS = 1_000;
const ENTRY_LIMIT = 2_048;
const SECRET_LIMIT = 4_096;

type SetUp = ReturnType<typeof useSetUp>;

/**
 * The entries of a set-up. Main stores a draft while somebody types; it also tests and saves the entries.
 *
 * @param onProblems called with what main found wrong
 * @param onSaved called when the player is about to start again
 */
export function useSetUp(
  page: SetUpPage,
  onProblems: (problems: readonly SetUpProblem[]) => void,
  onSaved: () => void,
) {
  const { calls, strings, store, showMessage } = useTools();
  const [form, setForm] = useState(page.form);
  const [problems, setProblems] = useState<readonly SetUpProblem[]>([]);
  const [test, setTest] = useState<'untried' | 'running' | 'good' | 'bad'>('untried');
  const [isSaving, setSaving] = useState(false);

  useEffect(() => {
    if (form === page.form) return;
    const draft = { ...form, clientSecret: null, apptoken: null, proxyPassword: null };
    const timer = setTimeout(() => void calls.ask('keepSetUpDraft', draft), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [calls, form, page]);

  const report = (found: readonly SetUpProblem[]) => {
    setProblems(found);
    onProblems(found);
  };
  return {
    page,
    form,
    problems,
    test,
    isSaving,
    change(field: SetUpField, value: string) {
      setForm((now) => withField(now, field, value));
      setProblems((now) => now.filter((problem) => problem.field !== field));
      setTest('untried');
    },
    /** Marks those of these fields that are required and empty; returns whether there are none. */
    check(fields: readonly SetUpField[]): boolean {
      const gaps = missingFields(fields, form, page.has);
      setProblems(gaps.map((field) => ({ field, code: 'missing', message: '' })));
      return gaps.length === 0;
    },
    async runTest(): Promise<void> {
      setTest('running');
      store.setState({ steps: [] });
      const reply = await calls.ask('testSetUp', withoutHidden(form));
      const tested = reply.ok && reply.output.result === 'tested' ? reply.output.steps : null;
      setTest(tested?.every(({ ok }) => ok) ? 'good' : 'bad');
      if (!reply.ok) report([{ field: null, code: 'other', message: strings.callErrors[reply.code] }]);
      else report(reply.output.result === 'problems' ? reply.output.problems : []);
    },
    /**
     * @param pin null: the present one stays
     * @returns why main rejected the PIN; null: it did not
     */
    async save(pin: string | null): Promise<WeakPin | null> {
      setSaving(true);
      const reply = await calls.ask('saveSetUp', { form: withoutHidden(form), pin });
      setSaving(false);
      if (!reply.ok) {
        showMessage({ tone: 'bad', text: strings.callErrors[reply.code], technical: reply.message });
        return null;
      }
      const { output } = reply;
      if (output.result === 'weak-pin') return output.why;
      if (output.result === 'problems') report(output.problems);
      else onSaved();
      return null;
    },
  };
}

/** Some fields of a set-up with their errors, and the errors of no field. */
export function SetUpForm({ setUp, fields }: { setUp: SetUp; fields: readonly SetUpField[] }) {
  const plain = fields.filter((field) => !isAdvanced(field));
  const advanced = fields.filter(isAdvanced);
  const general = setUp.problems.filter(({ field }) => field === null);
  return (
    <>
      {plain.length > 0 && <Fields setUp={setUp} fields={plain} />}
      {advanced.length > 0 && <Advanced setUp={setUp} fields={advanced} />}
      {general.map(({ message }) => (
        <Alert key={message}>{message}</Alert>
      ))}
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
  return (
    <div className="a-fields a-grid">
      {fields
        .filter((field) => isApplicable(field, setUp.form))
        .map((field) =>
          field === 'authentication' ? (
            <Authentication key={field} setUp={setUp} />
          ) : (
            <Entry key={field} setUp={setUp} field={field} />
          ),
        )}
    </div>
  );
}

function Authentication({ setUp: { form, change } }: { setUp: SetUp }) {
  const { strings } = useTools();
  const { label } = strings.fields.authentication;
  return (
    <div className="a-stack">
      <span className="a-strong">{label}</span>
      <Choice
        label={label}
        value={form.authentication}
        options={strings.authentications}
        onChoose={(value) => change('authentication', value)}
      />
    </div>
  );
}

/** A text field with its label, and its hint or error below. */
function Entry({ setUp: { page, form, problems, change }, field }: { setUp: SetUp; field: SetUpField }) {
  const { strings } = useTools();
  const [isShown, setShown] = useState(false);
  const id = useId();
  const { label, hint } = strings.fields[field];
  const secret = isSecret(field);
  const problem = problems.find((one) => one.field === field);
  const isWrong = problem !== undefined;
  const said = {
    missing: strings.required,
    address: strings.badAddress,
    other: `${strings.badEntry} ${problem?.message}`,
  };
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
          maxLength={secret ? SECRET_LIMIT : ENTRY_LIMIT}
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
      </p>
    </div>
  );
}
