/** A full-screen message for whoever set the kiosk up: it cannot work as configured. */
export function MessageCard({ title, text }: { title: string; text: string }) {
  return (
    <div className="card" role="alert">
      <div className="card-content">
        <h1 className="message-title">{title}</h1>
        <p className="message-text">{text}</p>
      </div>
    </div>
  );
}
