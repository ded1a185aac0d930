package main

import (
	"os"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// reflection reads the descriptors of all services, as grpcurl does; protodesc links them strictly.
func reflection(e *env) error {
	conn, err := grpc.NewClient(
		os.Getenv("BIGTABLE_EMULATOR_HOST"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(e.ctx)
	if err != nil {
		return err
	}
	ask := func(request *grpc_reflection_v1.ServerReflectionRequest) (*grpc_reflection_v1.ServerReflectionResponse, error) {
		if err := stream.Send(request); err != nil {
			// The status of the call is what Recv returns.
			_, err = stream.Recv()
			return nil, err
		}
		return stream.Recv()
	}
	list, err := ask(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	})
	if err != nil {
		return err
	}
	files := &descriptorpb.FileDescriptorSet{}
	var names []string
	for _, service := range list.GetListServicesResponse().GetService() {
		names = append(names, service.GetName())
		answer, err := ask(&grpc_reflection_v1.ServerReflectionRequest{
			MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{
				FileContainingSymbol: service.GetName(),
			},
		})
		if err != nil {
			return err
		}
		for _, bytes := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
			file := &descriptorpb.FileDescriptorProto{}
			if err := proto.Unmarshal(bytes, file); err != nil {
				return err
			}
			isKnown := slices.ContainsFunc(files.File, func(each *descriptorpb.FileDescriptorProto) bool {
				return each.GetName() == file.GetName()
			})
			if !isKnown {
				files.File = append(files.File, file)
			}
		}
	}
	linked, err := protodesc.NewFiles(files)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := linked.FindDescriptorByName(protoreflect.FullName(name)); err != nil {
			return err
		}
	}
	return equal("services", len(names), 7)
}
