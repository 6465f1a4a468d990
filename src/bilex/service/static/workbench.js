// Keys, and decisions that wait for a connection. Every page works without this file.
"use strict";

(() => {
  const body = document.body;
  const prefix = body.dataset.outbox ? `bilex-outbox-${body.dataset.outbox}-` : null;
  if (!prefix) return; // not signed in
  const skew = Date.parse(body.dataset.now) - Date.now(); // the server's clock counts
  const byId = (id) => document.getElementById(id);

  // ---- What is on the page

  const form = () => byId("decision");

  function say(text) {
    byId("status").textContent = text;
  }

  function showAlert(text) {
    const box = byId("alert");
    box.textContent = text;
    box.hidden = !text;
  }

  function chosen() {
    const ticked = form().querySelectorAll("input[name=target]:checked");
    const own = form().elements.own.value.trim();
    const all = [...ticked].map((box) => box.value).concat(own ? [own] : []);
    if (all.length) return all;
    const first = form().querySelector("input[name=target]");
    return first ? [first.value] : [];
  }

  // The button says what it accepts.
  function nameButton() {
    if (!form()) return;
    const label = form().querySelector("button[value=accept] .label");
    const targets = chosen();
    const text = ["Accept", targets.join(", ")].join(" ").trim();
    // A click that takes the focus from a field starts on the label: it must stay the same element.
    if (label.textContent === text) return;
    label.textContent = "Accept";
    targets.forEach((target, number) => {
      const word = document.createElement("bdi");
      word.textContent = target;
      label.append(number ? ", " : " ", word);
    });
  }

  function arrive() {
    nameButton();
    const word = byId("word");
    if (word && location.pathname === "/review") word.focus({ preventScroll: true });
  }

  document.addEventListener("change", nameButton);
  document.addEventListener("input", nameButton);

  // ---- Keys

  const keysOff = "bilex-keys-off";
  const usesKeys = () => localStorage.getItem(keysOff) === null;

  function isTyping(element) {
    return element.matches("input:not([type=checkbox]), textarea, select");
  }

  function press(key) {
    const button = document.querySelector(`main [data-key="${CSS.escape(key)}"]`);
    if (button) button.click();
    return Boolean(button);
  }

  function onKey(event) {
    const at = event.target instanceof Element ? event.target : body;
    if (event.key === "Enter" && event.ctrlKey && at.id === "note") {
      event.preventDefault();
      press("Enter");
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape" && isTyping(at)) {
      at.blur();
      return;
    }
    if (isTyping(at) || at.closest("dialog") || !usesKeys() || event.repeat) return;
    if (event.key === "Enter") {
      if (!at.matches("a, button, summary, input") && press("Enter")) event.preventDefault();
      return;
    }
    if (event.key === "?") {
      byId("keys").showModal();
    } else if (event.key === "/" && byId("more")) {
      byId("more").open = true;
      byId("own").focus();
    } else if (/^[1-9]$/.test(event.key) && form()) {
      const box = form().querySelectorAll("input[name=target]")[Number(event.key) - 1];
      if (!box) return;
      box.click();
    } else if (!/^[nxsu]$/.test(event.key) || !press(event.key)) {
      return;
    }
    event.preventDefault();
  }

  document.addEventListener("keydown", onKey);

  const switchBox = byId("use-keys");
  if (switchBox) {
    switchBox.closest("label").hidden = false;
    switchBox.checked = usesKeys();
    switchBox.addEventListener("change", () => {
      if (switchBox.checked) localStorage.removeItem(keysOff);
      else localStorage.setItem(keysOff, "1");
    });
  }

  // ---- Decisions that the server has not acknowledged: one entry of localStorage each

  const now = () => new Date(Date.now() + skew).toISOString().replace("Z", "000Z");
  let sequence = 0;
  let spares = [];
  let isOut = false; // whether the page waits for the connection, since it has no further word
  const seen = new Set();

  function waiting() {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
    const found = names.map((name) => ({ name, ...JSON.parse(localStorage.getItem(name)) }));
    return found.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  function keep(address, fields) {
    const id = fields.find(([name]) => name === "id")[1];
    const at = now();
    const order = `${at}-${String(sequence++).padStart(6, "0")}`;
    const without = fields.filter(([name]) => name !== "csrf");
    try {
      localStorage.setItem(prefix + id, JSON.stringify({ address, at, order, fields: without }));
    } catch {
      showAlert("This browser cannot keep decisions: wait for “Saved” before you close the page.");
    }
  }

  function forget(id) {
    localStorage.removeItem(prefix + id);
  }

  function showWaiting(text = "") {
    const number = waiting().length;
    const box = byId("outbox");
    box.hidden = number === 0;
    const message = number ? `Not saved yet: ${number} waiting. ${text}`.trim() : "";
    if (box.textContent !== message) box.textContent = message;
    return number;
  }

  let sending = false;
  let pause = 1000;

  // Sends what waits, oldest first. The server stores an event once, however often it is sent.
  async function send() {
    if (sending) return;
    sending = true;
    try {
      for (const each of waiting()) {
        const values = new URLSearchParams(each.fields);
        values.set("csrf", body.dataset.csrf);
        values.set("kept_at", each.at);
        const options = { method: "POST", body: values, redirect: "manual" };
        const answer = await fetch(each.address, { ...options, signal: AbortSignal.timeout(8000) });
        if (answer.status === 403) {
          showWaiting("Open the workbench again to send them.");
          pause = 60000;
          return;
        }
        if (answer.status === 400 || answer.status === 404) {
          const word = values.get("word");
          localStorage.setItem(`refused-${each.name}`, JSON.stringify(each));
          showAlert(`The server refused the decision on “${word}”: decide it again.`);
        } else if (!answer.ok) {
          throw new Error(`status ${answer.status}`);
        }
        localStorage.removeItem(each.name);
        pause = 1000;
      }
      if (!byId("outbox").hidden && !showWaiting()) {
        say("All decisions are saved.");
        if (isOut) location.assign("/review");
        else if (form()) stockUp();
      }
    } catch {
      showWaiting();
      pause = Math.min(pause * 2, 15000);
    } finally {
      sending = false;
      if (waiting().length) setTimeout(send, pause);
    }
  }

  // ---- Without a connection, the page asks words that it has in store

  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(15));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  }

  async function stockUp() {
    try {
      const answer = await fetch("/spare");
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      spares = [...page.querySelectorAll("template.spare")].map((each) => each.innerHTML);
    } catch {
      // The next decision tries again.
    }
  }

  function showCard(html) {
    const holder = document.createElement("div");
    holder.innerHTML = html; // made by our server, of escaped text
    const card = holder.firstElementChild;
    byId("question").replaceWith(card);
    window.htmx.process(card);
    isOut = false;
    arrive();
    return card.dataset.word;
  }

  // A word that is decided must not stay: its form has an id that may be stored already.
  function showNothing() {
    const card = document.createElement("section");
    card.id = "question";
    card.className = "panel stack prose";
    const heading = document.createElement("h1");
    heading.id = "word";
    heading.tabIndex = -1;
    heading.textContent = "No connection";
    const text = document.createElement("p");
    text.textContent =
      "No further word is here. What you decided is kept in this browser, and sent as soon as there is a connection.";
    card.append(heading, text);
    byId("question").replaceWith(card);
    isOut = true;
    arrive();
  }

  function showSpare() {
    for (;;) {
      const html = spares.shift();
      if (html === undefined) {
        showNothing();
        say("No connection, and no further word is here. What you decided is kept.");
        return;
      }
      const holder = document.createElement("div");
      holder.innerHTML = html;
      if (seen.has(holder.firstElementChild.dataset.word)) continue;
      say(`Kept here, not saved yet. Next: ${showCard(html)}`);
      return;
    }
  }

  let kept = []; // what was decided without a connection, as [id, word, html of the question]

  function showKeptUndo() {
    const last = byId("last");
    const [id, word, html] = kept.at(-1) ?? [];
    last.querySelectorAll("form, span:not(.done)").forEach((each) => each.remove());
    if (!id) return;
    const text = document.createElement("span");
    text.textContent = `Not saved yet: ${word}`;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.dataset.key = "u";
    button.textContent = "Undo";
    button.addEventListener("click", () => {
      kept.pop();
      keep("/undo", [["id", newId()], ["word", word], ["undoes", id]]);
      seen.delete(word);
      showCard(html);
      form().elements.id.value = newId();
      say(`Undone. Again: ${word}`);
      showKeptUndo();
      showWaiting();
    });
    last.prepend(text, button);
  }

  // ---- htmx

  let pending = null; // the request that is under way

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "post") return;
    const fields = [...detail.formData.entries()];
    const word = fields.find(([name]) => name === "word")[1];
    const id = fields.find(([name]) => name === "id")[1];
    const html = detail.path === "/decide" ? byId("question").outerHTML : null;
    pending = { id, word, html };
    keep(detail.path, fields);
  });

  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.requestConfig.verb !== "post" || !pending) return;
    const { id, word, html } = pending;
    pending = null;
    const status = detail.xhr.status;
    if (detail.successful) {
      showAlert("");
      forget(id);
      seen.add(word);
      kept = [];
      if (waiting().length) send();
      else showWaiting();
    } else if (status === 400 || status === 404) {
      forget(id);
      const page = new DOMParser().parseFromString(detail.xhr.responseText, "text/html");
      showAlert(page.querySelector("main p")?.textContent ?? "The server refused this.");
    } else if (status === 403) {
      showWaiting("Open the workbench again to send them.");
    } else {
      // No answer: the event may be stored or not. It is sent again with the same id.
      showWaiting();
      if (html) {
        seen.add(word);
        kept.push([id, word, html]);
        showSpare();
        showKeptUndo();
      }
      setTimeout(send, pause);
    }
  });

  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id === "question" || detail.elt.id === "question") arrive();
  });

  window.addEventListener("online", send);
  arrive();
  if (showWaiting()) send();
  if (form()) setTimeout(stockUp, 1500);
  setInterval(() => form() && !waiting().length && stockUp(), 300000);
})();
