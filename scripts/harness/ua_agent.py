"""ua as an agent of Harbor: harbor run --agent ua_agent:Ua (see README.md beside this file).

Written for harbor 0.26, whose documentation of agents is harborframework.com/docs/agents.
"""

import json
import shlex
from pathlib import Path
from typing import Annotated, override

from harbor.agents.capabilities import AgentCapabilities
from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template
from harbor.agents.options import Cli, InstalledAgentOptions
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from pydantic import Field

LOGS = "/logs/agent"  # what a trial keeps of its container
STATE = "/tmp/ua-state"  # where journals lie until the run has ended


class UaOptions(InstalledAgentOptions):
    tarball: str = Field(description="ua's tarball for Linux on the task's processor (make dist)")
    confined: bool = Field(
        default=False,
        description="Keep commands in ua's sandbox too, to the folder of the task and net_allow",
    )
    net_allow: Annotated[str | None, Cli("--net-allow")] = None
    max_turns: Annotated[int | None, Cli("--max-turns")] = None
    max_commands: Annotated[int | None, Cli("--max-commands")] = None
    time_limit: Annotated[str | None, Cli("--time-limit")] = None
    budget_usd: Annotated[float | None, Cli("--budget-usd")] = None
    budget_tokens: Annotated[int | None, Cli("--budget-tokens")] = None
    effort: Annotated[str | None, Cli("--effort")] = None


class Ua(BaseInstalledAgent):
    """Installs ua's tarball in the task's container, and runs one task without a person."""

    capabilities = AgentCapabilities(atif=True)
    options_model = UaOptions
    options: UaOptions

    @staticmethod
    @override
    def name() -> str:
        return "ua"

    @override
    def get_version_command(self) -> str:
        return "ua --version"

    @override
    def parse_version(self, stdout: str) -> str:
        return stdout.split()[-1]

    @override
    async def install(self, environment: BaseEnvironment) -> None:
        await environment.upload_file(Path(self.options.tarball), "/installed-agent/ua.tar.gz")
        await self.exec_as_root(
            environment,
            "tar -xzf /installed-agent/ua.tar.gz --strip-components=1 -C / && ua --version",
        )

    @override
    @with_prompt_template
    async def run(
        self, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        options = self.build_cli_flags()
        if self.model_name:
            options += " --model " + shlex.quote(self.model_name)
        if not self.options.confined:
            # The container is the wall, and the task may want all of it: apt-get, /etc, a server.
            options += " --exec 'ua-exec --unconfined --ungated' --gate cat"
        env = {"XDG_STATE_HOME": STATE, **self.model_connection.env}
        command = f"printf %s {shlex.quote(instruction)} | ua -q {options} -o {LOGS}/answer.txt"
        try:
            await self.exec_as_agent(environment, command, env=env)
        finally:
            await self.exec_as_agent(
                environment,
                f"ua-journal export --atif last >{LOGS}/trajectory.json; "
                f"cp {STATE}/ua/runs/*/journal.jsonl {LOGS}/",
                env=env,
            )

    @override
    def populate_context_post_run(self, context: AgentContext) -> None:
        try:
            used = json.loads((self.logs_dir / "trajectory.json").read_text())["final_metrics"]
        except (OSError, ValueError, KeyError):
            return  # the run ended before it asked the model
        context.n_input_tokens = used.get("total_prompt_tokens")
        context.n_cache_tokens = used.get("total_cached_tokens")
        context.n_output_tokens = used.get("total_completion_tokens")
        context.cost_usd = used.get("total_cost_usd")
