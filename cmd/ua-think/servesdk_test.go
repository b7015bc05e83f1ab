//go:build !lint

package main

import (
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	sdkoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"ua/internal/test/modeltest"
)

// TestServeSDK: the providers' own clients ask by the socket.
func TestServeSDK(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	a := serve(t, gatewayToken, "--model", "anthropic/m", "--allow", "claude-*")
	client := sdk.NewClient(sdkoption.WithHTTPClient(a.client()),
		sdkoption.WithBaseURL("http://gateway"), sdkoption.WithAPIKey(gatewayToken))
	messages := client.Messages.NewStreaming(t.Context(), sdk.MessageNewParams{
		Model: "claude-sonnet-5-5", MaxTokens: 100,
		Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("hi"))},
	})
	text := ""
	for messages.Next() {
		text += messages.Current().Delta.Text
	}
	if err := messages.Err(); err != nil || text != "Done." {
		t.Errorf("Anthropic: %q %v", text, err)
	}
	models := client.Models.ListAutoPaging(t.Context(), sdk.ModelListParams{})
	if !models.Next() || models.Current().ID != "m" {
		t.Errorf("models: %v", models.Err())
	}
	o := serve(t, gatewayToken, "--model", "openai/m", "--allow", "gpt-*")
	other := openai.NewClient(option.WithHTTPClient(o.client()),
		option.WithBaseURL("http://gateway/v1/"), option.WithAPIKey(gatewayToken))
	chat := other.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{
		Model:    "gpt-6.1-sol",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")},
	})
	text = ""
	for chat.Next() {
		if c := chat.Current().Choices; len(c) > 0 {
			text += c[0].Delta.Content
		}
	}
	if err := chat.Err(); err != nil || text != "Done." {
		t.Errorf("Chat: %q %v", text, err)
	}
	if l := o.lines("model_request", 1); len(l) != 1 || l[0].Get("usage.output").Int() != 42 {
		t.Errorf("usage is not asked for: %v", l)
	}
	resp := other.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{
		Model: "gpt-6.1-sol", Store: openai.Bool(false),
		Include:        []responses.ResponseIncludable{"reasoning.encrypted_content"},
		PromptCacheKey: openai.String("k"),
		Input: responses.ResponseNewParamsInputUnion{
			OfInputItemList: responses.ResponseInputParam{{
				OfMessage: &responses.EasyInputMessageParam{
					Type: "message", Role: "user",
					Content: responses.EasyInputMessageContentUnionParam{OfString: openai.String("hi")},
				},
			}},
		},
	})
	text = ""
	for resp.Next() {
		text += resp.Current().Delta
	}
	if err := resp.Err(); err != nil || text != "Done." {
		t.Errorf("Responses: %q %v", text, err)
	}
}
