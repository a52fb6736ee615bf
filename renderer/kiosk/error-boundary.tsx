import { Component, type ReactNode } from 'react';

interface Props {
  readonly children: ReactNode;
  readonly onError?: (error: Error) => void;
}

/** Leaves out what cannot be drawn: without it, one error in a component would take the whole page off the screen. */
export class ErrorBoundary extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidCatch(error: Error): void {
    this.props.onError?.(error);
  }

  override render(): ReactNode {
    return this.state.isBroken ? null : this.props.children;
  }
}
