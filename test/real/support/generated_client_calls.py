"""Makes calls with a generated client, and ends with an error at the first that fails."""

import sys

from generated_client import load
from prtg_client import models


class Caller:
    """Calls operations by the names of the API, for both generators and spellings."""

    def __init__(self, client, spelling):
        self.client = client
        # Live servers send settings as text.
        self.setting = str if spelling == "live" else int
        self.word = str.upper if spelling == "live" else str

    def __call__(self, operation, body=None, **arguments):
        given = {self.client.RENAMED.get(name, name): value for name, value in arguments.items()}
        if body is not None:
            model, values = body
            given["body"] = getattr(models, model).from_dict(values)
        return self.client.call(operation, **given)

    def type_of(self, record):
        return getattr(record, self.client.RENAMED.get("type", "type"))


def read_objects(call):
    path = [call.client.choice("ListSensorsIncludeItem", "path")]
    sensors = call("list_sensors", limit=5, include=path)
    assert [len(sensors), call.type_of(sensors[0]), sensors[0].path[0].id] == [5, call.word("sensor"), "0"]
    sensor = call("get_sensor", id=sensors[0].id)
    assert [sensor.id, sensor.status, sensor.parent.id] == [sensors[0].id, sensors[0].status, sensors[0].parent.id]
    assert call("get_sensor_overview", id=sensor.id).status == sensor.status
    assert len(call("list_sensor_info", limit=3)) == 3
    assert call.type_of(call("list_devices", limit=1)[0]) == call.word("device")
    assert call("list_device_info", limit=1)[0].host
    assert call("get_device", id=sensor.parent.id).id == sensor.parent.id
    assert call.type_of(call("list_groups", limit=1)[0]) == call.word("group")
    probe = call("list_probes", limit=1)[0]
    assert [call("get_probe", id=probe.id).name, call("list_probe_info", limit=1)[0].id] == [probe.name, probe.id]
    assert len(call("list_object_info", limit=20)) == 20
    assert call("get_sensor_status_summary").total > 0


def read_measurements(call):
    value = call.client.value
    sensor = call("list_sensors", limit=1)[0]
    channel = call("list_channels", limit=1)[0]
    assert call.type_of(call("get_channel", id=channel.id)) == call.word("channel")
    assert call("list_sensor_data", id=sensor.id)[0].channel.id.startswith(sensor.id)
    series = call("get_time_series", id=sensor.id, type=call.client.choice("GetTimeSeriesType", "live"))
    assert value(series[0][0]) == "time"
    begin = {"from": value(series[1][0])}
    header, *rows = call("get_time_series_of_range", id=sensor.id, **begin)
    assert value(header[1]).startswith(f"{sensor.id}.")
    assert any(isinstance(value(item), (int, float)) for row in rows for item in row[1:])


def use_accounts(call):
    login = {"username": "tester", "password": "password-of-the-tests"}
    assert call("open_session", ("LoginRequest", login)).token
    assert call("get_version").prtg_version
    assert call("get_public_settings").site_name
    user = call("list_user_info")[0]
    assert call.type_of(call("get_user", id=user.id)) == call.word("user")
    level = {"name": "tests", "access_level": "READ"}
    made = call("create_api_key", ("CreateApiKeyRequest", level), id="me")
    call("edit_api_key", ("EditApiKeyRequest", {"access_level": "WRITE"}), id=made.id)
    assert call("find_api_key", ("FindApiKeyRequest", {"id": made.id})).access_level == "WRITE"
    call("delete_api_key", id=made.id)


def change_objects(call):
    """Needs operations that older releases lack."""
    setting = call.setting
    assert len(call("list_objects", limit=20)) == 20
    probe = call("list_probes", limit=1)[0]
    group = call("create_probe_group", ("CreateGroupRequest", {"basic": {"name": "Lab"}}), id=probe.id)[0]
    call("edit_group", ("EditGroupRequest", {"basic": {"name": "Lab 2", "tags": ["new"]}}), id=group.id)
    assert call("get_group", id=group.id).name == "Lab 2"
    settings = {"basic": {"name": "Printer", "host": "192.0.2.1"}, "intervalgroup": {"interval": setting(300)}}
    device = call("create_group_device", ("CreateDeviceRequest", settings), id=group.id)[0]
    call("edit_device", ("EditDeviceRequest", {"basic": {"priority": setting(5)}}), id=device.id)
    assert call("get_device", id=device.id).basic.additional_properties["priority"] == setting(5)
    basic = {"basic": {"name": "Ping"}}
    sensor = call("create_sensor", ("CreateSensorRequest", basic), id=device.id, kindid="ping")[0]
    call("edit_sensor", ("EditSensorRequest", {"basic": {"name": "Ping 2"}}), id=sensor.id)
    call("pause_sensor", ("PauseRequest", {"message": "Maintenance"}), id=sensor.id)
    assert call("get_sensor", id=sensor.id).status.replace("_", "").lower() == "pausedbyuser"
    call("resume_sensor", id=sensor.id)
    [result] = call("pause_devices", ("MultiPauseRequest", {"filter": f'id = "{device.id}"'}))
    assert [result.node.id, result.failure] == [device.id, None]
    call("move_object", ("MoveRequest", {"parent": probe.id, "position_preset": "top"}), id=device.id)
    call("clone_object", ("CloneRequest", {"parent": group.id}), id=device.id)
    call("delete_device", id=device.id)


def acknowledge(call):
    down = call("list_sensors", limit=1, filter="status = down")[0]
    call("acknowledge_sensor", ("AcknowledgeRequest", {"message": "On it", "duration": 600}), id=down.id)
    assert "acknowledged" in call("get_sensor", id=down.id).status.lower()


PARTS = {"older": [read_objects, read_measurements, use_accounts, acknowledge]}
PARTS["newest"] = [*PARTS["older"], change_objects]


def main(generator, spelling, release, url, key):
    call = Caller(load(generator, url, key), spelling)
    for part in PARTS[release]:
        part(call)


main(*sys.argv[1:])
