import { useId, useState } from 'react';
import { useTools } from '../overlay-context';

/** A text field with its label; a press opens the on-screen keyboard. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  problem,
  secret,
  placeholder,
  limit,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint: string;
  problem: string | null;
  secret: boolean;
  placeholder: string;
  limit: number;
}) {
  const { strings } = useTools();
  const [shown, setShown] = useState(false);
  const id = useId();
  const below = problem ?? hint;
  return (
    <div className="a-field a-stack" data-problem={problem !== null}>
      <label className="a-strong" htmlFor={id}>
        {label}
      </label>
      <div className="a-field-box a-line">
        <input
          id={id}
          className="a-input"
          data-typed=""
          type={secret && !shown ? 'password' : 'text'}
          value={value}
          placeholder={placeholder}
          maxLength={limit}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          aria-invalid={problem !== null}
          aria-describedby={below === '' ? undefined : `${id}-below`}
          onChange={(event) => onChange(event.target.value)}
        />
        {secret && (
          <button type="button" className="a-field-button a-centre" onClick={() => setShown(!shown)}>
            {shown ? strings.hideSecret : strings.showSecret}
          </button>
        )}
      </div>
      {below !== '' && (
        <p
          id={`${id}-below`}
          className={problem === null ? 'a-note' : 'a-note a-problem'}
          role={problem === null ? undefined : 'alert'}
        >
          {below}
        </p>
      )}
    </div>
  );
}

export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <input
      className="a-input"
      data-typed=""
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={100}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
