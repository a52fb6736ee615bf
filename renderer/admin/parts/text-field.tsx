import { type ComponentProps, useRef } from 'react';
import { useTools } from '../overlay-context';
import { Button } from './pieces';

/** A field for text; a press opens the on-screen keyboard if it has `data-typed`. */
export function Input(input: ComponentProps<'input'>) {
  return <input className="a-input" data-typed="" {...input} />;
}

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const { strings } = useTools();
  const field = useRef<HTMLInputElement>(null);
  return (
    <div className="a-line">
      <Input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        maxLength={100}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== '' && (
        <Button
          icon="close"
          aria-label={strings.clearSearch}
          // The field keeps the focus, and its keyboard.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            onChange('');
            field.current?.focus();
          }}
        />
      )}
    </div>
  );
}
