package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/outbox"
	"ua/internal/common/prog"
)

// send sends a request to the provider with its key. Only those headers of the client
// pass that choose a behaviour of the API.
func (g *Gateway) send(
	ctx context.Context, x *exchange, url string, body []byte,
) (*http.Response, *refusal) {
	req, err := http.NewRequestWithContext(ctx, x.r.Method, url, bytes.NewReader(body))
	if err != nil {
		return nil, refuse(reasonForm, "the request can't be passed on")
	}
	req.Header = x.route.Model.Headers()
	for _, name := range []string{"Accept", "Anthropic-Version", "Anthropic-Beta", "Openai-Beta"} {
		if v := x.r.Header.Get(name); v != "" && len(v) < 1000 {
			req.Header.Set(name, v)
		}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "ua-think/"+prog.Version())
	resp, err := g.transport.RoundTrip(req)
	if err != nil {
		return nil, refuse(reasonNetwork, "the provider can't be reached: %s", g.hide(err.Error()))
	}
	return resp, nil
}

// pass passes on a request that costs nothing, and its answer.
func (g *Gateway) pass(ctx context.Context, x *exchange) *refusal {
	resp, refused := g.send(ctx, x, x.route.URL, x.body)
	if refused != nil {
		return refused
	}
	defer resp.Body.Close()
	x.record.Status = resp.StatusCode
	g.Log.Write(x.record)
	g.whole(x.w, resp, nil)
	return nil
}

// whole passes on an answer in one piece. look, if not nil, sees it first.
func (g *Gateway) whole(w http.ResponseWriter, resp *http.Response, look func([]byte)) {
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if look != nil {
		look(text)
	}
	copyHeaders(w.Header(), resp.Header)
	if err != nil {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.WriteHeader(resp.StatusCode)
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	io.WriteString(w, g.hide(string(text)))
}

// relay sends a question and passes its answer to the client as it comes. It decodes the
// answer on the way: usage goes to the budget, and calls that the model proposes go to
// the log.
func (g *Gateway) relay(ctx context.Context, x *exchange, q *question) *refusal {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, refused := g.send(ctx, x, q.model.URL(), q.body)
	if refused != nil {
		return refused
	}
	defer resp.Body.Close()
	x.record.Status = resp.StatusCode
	if resp.StatusCode != http.StatusOK {
		g.Log.Write(x.record)
		g.whole(x.w, resp, nil)
		return nil
	}
	out := outbox.New(io.Discard)
	defer out.Close(0)
	a := &answer.Answer{Out: out, Limits: g.Answer, IDs: map[string]bool{}}
	taken, cut := 0, false
	if q.stream {
		read := func(r io.Reader) { q.model.Decode(r, a) }
		taken, cut = g.stream(cancel, x.w, resp, read)
	} else {
		g.whole(x.w, resp, func(text []byte) {
			taken = len(text)
			q.model.DecodeWhole(text, a)
		})
	}
	x.used = charge(q, a, taken, time.Since(x.record.Start))
	x.record.answered(a, x.used, q.Price)
	g.Log.Write(x.record)
	if cut {
		panic(http.ErrAbortHandler) // the client must see it
	}
	return nil
}

// stream passes a stream on piece by piece, and returns its length in bytes and whether
// it broke off. read decodes along and gets each piece before the client does, so that
// nothing a client has received is missing in the log. If the client goes away, cancel
// ends the stream.
func (g *Gateway) stream(
	cancel context.CancelFunc, w http.ResponseWriter, resp *http.Response, read func(io.Reader),
) (taken int, cut bool) {
	along, feed := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		read(along)
		io.Copy(io.Discard, along)
	}()
	copyHeaders(w.Header(), resp.Header)
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	idle := time.AfterFunc(g.Time.Idle, cancel)
	defer idle.Stop()
	piece := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(piece)
		idle.Reset(g.Time.Idle)
		taken += n
		feed.Write(piece[:n])
		control.SetWriteDeadline(time.Now().Add(writeTime))
		if n > 0 {
			if _, werr := w.Write(piece[:n]); werr != nil || control.Flush() != nil {
				cancel() // the client has gone: the model need not go on
			}
		}
		if err != nil {
			feed.CloseWithError(err)
			<-done
			return taken, !errors.Is(err, io.EOF)
		}
	}
}
